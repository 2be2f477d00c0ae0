package dev.pliant.agent.world;

import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.rpc.MasterStream;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/// What the thread that owns a [WorldDesk] is told.
sealed interface WorldEvent {
  /// A process asks for a world.
  record Asked(
      long connection, WorkerId worker, Arrival arrival, CompletableFuture<WorldAnswer> answer)
      implements WorldEvent {}

  /// A process wants to hear when its world is to end.
  record Watched(
      long connection, WorkerId worker, long world, int seen, CompletableFuture<Reforming> answer)
      implements WorldEvent {}

  /// The agent itself waits for a world, for its processes.
  record Arrived(Map<WorkerId, Arrival> arrivals) implements WorldEvent {}

  /// Nobody waits at that connection any more.
  record Gone(long connection) implements WorldEvent {}

  /// A process is gone.
  record Left(WorkerId worker, ExitReason reason, String message) implements WorldEvent {}

  /// The node is to go.
  record Drained() implements WorldEvent {}

  /// The node ends.
  record Ending(String why) implements WorldEvent {}

  /// The agent stops: what is still to be said is said, if that can be done in time.
  record Closing(long deadline) implements WorldEvent {}

  /// A word from the master.
  record FromMaster(MasterStream.Heard<MeetRequest, MeetResponse> heard) implements WorldEvent {}
}
