package dev.pliant.master.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BackPressureTest {
  private static final JobId JOB = new JobId("default", "busy");

  @Test
  void refusesWhatDoesNotFitIntoTheQueueAndServesTheRest() throws Exception {
    try (JobOwner owner =
        JobOwner.start(
            JOB,
            JournalStores.open(JournalLocation.memory(), JOB),
            new JobOwner.Limits(8, 1 << 20),
            InstantSource.system())) {
      OwnerClient client = new OwnerClient(owner);
      client.ask(new Command.GetJob(), Answer.Job.class);
      CountDownLatch busy = new CountDownLatch(1);
      CountDownLatch release = new CountDownLatch(1);
      owner.submit(
          new Request(
              List.of(new Command.GetJob()),
              new Request.Reply() {
                @Override
                public void answer(List<Answer> answers) {
                  busy.countDown();
                  try {
                    release.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                }

                @Override
                public void fail(PliantException why) {
                  throw new AssertionError(why);
                }
              }));
      busy.await();
      List<CompletableFuture<List<Answer>>> waiting = new ArrayList<>();
      for (int i = 0; i < 8; i++) {
        waiting.add(client.send(new Command.GetJob()));
      }
      CompletableFuture<List<Answer>> tooMany = client.send(new Command.GetJob());
      assertThat(tooMany.exceptionNow())
          .isInstanceOfSatisfying(
              PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OVERLOADED));
      release.countDown();
      waiting.forEach(OwnerClient::await);
    }
  }

  @Test
  void outlivesACallerThatCannotBeAnswered() throws Exception {
    try (JobOwner owner =
        JobOwner.start(
            JOB,
            JournalStores.open(JournalLocation.memory(), JOB),
            JobOwner.Limits.DEFAULT,
            InstantSource.system())) {
      owner.submit(
          new Request(
              List.of(new Command.GetJob()),
              new Request.Reply() {
                @Override
                public void answer(List<Answer> answers) {
                  throw new IllegalStateException("the connection is gone");
                }

                @Override
                public void fail(PliantException why) {
                  throw new IllegalStateException("the connection is gone");
                }
              }));
      assertThat(new OwnerClient(owner).ask(new Command.GetJob(), Answer.Job.class)).isNotNull();
    }
  }

  @Test
  void answersEverythingThatWaitsWhenItCloses() throws Exception {
    JobOwner owner =
        JobOwner.start(
            JOB,
            JournalStores.open(JournalLocation.memory(), JOB),
            JobOwner.Limits.DEFAULT,
            InstantSource.system());
    OwnerClient client = new OwnerClient(owner);
    List<CompletableFuture<List<Answer>>> calls = new ArrayList<>();
    for (int i = 0; i < 100; i++) {
      calls.add(client.send(new Command.GetJob()));
    }
    owner.close();
    calls.add(client.send(new Command.GetJob()));
    for (CompletableFuture<List<Answer>> call : calls) {
      assertThat(call).isDone();
    }
    assertThat(calls.getLast().exceptionNow()).hasMessageContaining("stopping");
  }
}
