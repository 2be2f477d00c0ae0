package dev.pliant.agent.relay;

import dev.pliant.agent.socket.Answer;
import dev.pliant.agent.socket.Conversation;
import dev.pliant.agent.socket.Request;
import dev.pliant.agent.world.WorldAnswer;
import dev.pliant.model.DatasetName;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/// What one connection of a worker asks, brought to those who answer it. Requests come one at a
/// time and from one thread.
final class WorkerConversation implements Conversation {
  private final Peer peer;
  private final WorkerRoster roster;
  private final MasterOperations operations;
  private @Nullable Worker worker;
  private @Nullable Farewell farewell;
  private @Nullable Thread calling;

  WorkerConversation(Peer peer, WorkerRoster roster, MasterOperations operations) {
    this.peer = peer;
    this.roster = roster;
    this.operations = operations;
  }

  @Override
  public CompletableFuture<Answer> answer(Request request) {
    if (request instanceof Request.Hello hello) {
      return CompletableFuture.completedFuture(hello(hello));
    }
    Worker known = worker;
    if (known == null) {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE, "the first request of a connection is 'hello'; send it.");
    }
    return answer(known, request);
  }

  @Override
  public void ended() {
    Thread call = calling;
    if (call != null) {
      call.interrupt();
    }
    if (worker != null) {
      roster.worlds().gone(peer.id());
      roster.leave(worker, peer.id(), farewell);
    }
  }

  private Answer hello(Request.Hello hello) {
    if (worker != null) {
      throw new PliantException(
          ErrorCode.BAD_MESSAGE,
          "this connection has said hello as worker %s already; open another."
              .formatted(worker.id()));
    }
    worker = roster.join(hello.worker(), peer);
    return new Answer.Welcome(roster.job(), hello.worker());
  }

  private CompletableFuture<Answer> answer(Worker known, Request request) {
    return switch (request) {
      case Request.Next(var dataset) -> roster.relay(known, dataset).next(peer.id());
      case Request.Report report -> report(known, report);
      case Request.Flush(var dataset) ->
          known
              .relay(dataset)
              .map(relay -> relay.flush(peer.id(), roster.answerWithin()))
              .orElseGet(() -> CompletableFuture.completedFuture(new Answer.Flushed(List.of())));
      case Request.CreateDataset create -> call(() -> operations.create(create));
      case Request.Grow grow -> call(() -> operations.grow(grow));
      case Request.CommitStep commit -> call(() -> operations.commit(commit));
      case Request.Progress progress -> call(() -> operations.progress(progress));
      case Request.TakeCheckpoint() ->
          call(() -> {
            // The model beside this ledger has trained what was reported: so must the ledger.
            roster.settleReports();
            roster.steps().settleAll(operations.bound());
            return operations.checkpoint();
          });
      case Request.World(var arrival) ->
          roster.worlds().ask(peer.id(), known.id(), arrival).thenApply(WorkerConversation::answer);
      case Request.Watch(long world, int seen) ->
          roster
              .worlds()
              .watch(peer.id(), known.id(), world, seen)
              .thenApply(reforming ->
                  reforming.level() == 0
                      ? new Answer.Wait(List.of())
                      : new Answer.Reform(reforming.abort(), reforming.why()));
      case Request.Stepped(var dataset, long epoch, long step, long world, var metrics) -> {
        roster.steps().said(dataset, epoch, step, world, metrics);
        yield CompletableFuture.completedFuture(new Answer.Fine());
      }
      case Request.Settle(var dataset) -> call(() -> settle(dataset));
      case Request.Doing(var activity) -> {
        roster.does(known.id(), activity);
        yield CompletableFuture.completedFuture(new Answer.Fine());
      }
      case Request.RestoreNumber(long number) -> restore(() -> operations.restore(number));
      case Request.RestoreLedger(var ledger, boolean takeOver) ->
          restore(() -> operations.restore(ledger, takeOver));
      case Request.Bye(boolean done, var message) -> {
        farewell = Farewell.bye(done, message);
        yield CompletableFuture.completedFuture(new Answer.Fine());
      }
      case Request.Hello _ -> throw new IllegalStateException("hello is answered before");
    };
  }

  private static Answer answer(WorldAnswer answer) {
    return switch (answer) {
      case WorldAnswer.Inside(var placement) -> new Answer.InWorld(placement);
      case WorldAnswer.Wait() -> new Answer.Wait(List.of());
      case WorldAnswer.Released(var why) -> new Answer.Released(why);
      case WorldAnswer.Excluded(var why) -> new Answer.Excluded(why);
      case WorldAnswer.Closed(boolean complete, var why) -> new Answer.Closed(complete, why);
    };
  }

  /// Waits for the steps to be delivered, then asks how far the dataset is: another may have
  /// committed since.
  private Answer settle(DatasetName dataset) throws InterruptedException {
    if (!roster.steps().settle(dataset, roster.answerWithin())) {
      return new Answer.Wait(List.of());
    }
    return operations.position(dataset);
  }

  private CompletableFuture<Answer> report(Worker known, Request.Report report) {
    Relay relay =
        known
            .relay(report.dataset())
            .orElseThrow(() ->
                new PliantException(
                    ErrorCode.UNKNOWN_LEASE,
                    "worker %s has had no shard of dataset '%s'; there is nothing to report."
                        .formatted(known.id(), report.dataset())));
    return relay.report(peer.id(), report.reports());
  }

  private CompletableFuture<Answer> restore(Callable<Answer> restore) {
    return call(() -> {
      roster.steps().settleAll(operations.bound());
      Answer answer = restore.call();
      roster.restored();
      return answer;
    });
  }

  /// Runs a call that may take long on a thread of its own, which the end of the connection
  /// interrupts.
  private CompletableFuture<Answer> call(Callable<Answer> call) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    calling =
        Thread.ofVirtual()
            .name("pliant-call-" + peer.id())
            .start(() -> {
              try {
                answer.complete(call.call());
              } catch (InterruptedException _) {
                answer.completeExceptionally(
                    new PliantException(
                        ErrorCode.STOPPING, "the connection ended before the master answered."));
              } catch (Exception e) {
                answer.completeExceptionally(e);
              }
            });
    return answer;
  }
}
