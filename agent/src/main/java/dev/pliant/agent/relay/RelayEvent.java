package dev.pliant.agent.relay;

import dev.pliant.agent.socket.Answer;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import dev.pliant.rpc.MasterStream;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// What the thread that owns a [Relay] is told.
sealed interface RelayEvent {
  /// A process asks for a shard.
  record Asked(long connection, CompletableFuture<Answer> answer) implements RelayEvent {}

  /// A process reports.
  record Reported(long connection, List<ShardReport> reports, CompletableFuture<Answer> answer)
      implements RelayEvent {}

  /// A process asks whether its reports have arrived.
  record FlushAsked(long connection, Duration within, CompletableFuture<Answer> answer)
      implements RelayEvent {}

  /// A connection is gone; the worker has others or not.
  record Gone(long connection, boolean worksOn) implements RelayEvent {}

  /// The worker has ended.
  record Finish() implements RelayEvent {}

  /// The agent has no more time.
  record Abort() implements RelayEvent {}

  /// The stream must be opened again, with or without what is ahead.
  record Reopen(boolean forgetAhead) implements RelayEvent {}

  /// Time to look again.
  record Wake() implements RelayEvent {}

  /// A word from the master.
  record FromMaster(MasterStream.Heard<WorkRequest, WorkResponse> heard) implements RelayEvent {}

  /// Who waits for an answer to this, if anybody.
  default Optional<CompletableFuture<Answer>> waiting() {
    return switch (this) {
      case Asked(long _, var answer) -> Optional.of(answer);
      case Reported(long _, var _, var answer) -> Optional.of(answer);
      case FlushAsked(long _, var _, var answer) -> Optional.of(answer);
      case Gone _, Finish _, Abort _, Reopen _, Wake _, FromMaster _ -> Optional.empty();
    };
  }
}
