package dev.pliant.master.owner;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.model.PliantException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// Asks an owner as a service would, and waits for its word.
public final class OwnerClient {
  private final JobOwner owner;

  public OwnerClient(JobOwner owner) {
    this.owner = owner;
  }

  public CompletableFuture<List<Answer>> send(Command... commands) {
    CompletableFuture<List<Answer>> answered = new CompletableFuture<>();
    owner.submit(
        new Request(
            List.of(commands),
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {
                answered.complete(answers);
              }

              @Override
              public void fail(PliantException why) {
                answered.completeExceptionally(why);
              }
            }));
    return answered;
  }

  public <A extends Answer> A ask(Command command, Class<A> type) {
    return type.cast(await(send(command)).getFirst());
  }

  public static <T> T await(CompletableFuture<T> future) {
    try {
      return future.get(30, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof PliantException refused) {
        throw refused;
      }
      throw new AssertionError(e.getCause());
    } catch (InterruptedException | TimeoutException e) {
      throw new AssertionError("no answer in 30 s", e);
    }
  }
}
