package dev.pliant.master.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TellerTest {
  private static final JobId JOB = new JobId("default", "told");

  private JobOwner owner;

  @BeforeEach
  void start() throws Exception {
    owner =
        JobOwner.start(
            JOB,
            JournalStores.open(JournalLocation.memory(), JOB),
            JobOwner.Limits.DEFAULT,
            InstantSource.system());
  }

  @AfterEach
  void close() {
    owner.close();
  }

  @Test
  void handsEachTellerTheRepliesOfABatchInOneTaskAndInOrder() throws Exception {
    BlockingQueue<Runnable> left = new LinkedBlockingQueue<>();
    BlockingQueue<Runnable> right = new LinkedBlockingQueue<>();
    Executor toTheLeft = left::add;
    Executor toTheRight = right::add;
    List<Integer> told = new ArrayList<>();
    inOneBatch(() -> {
      for (int i = 0; i < 6; i++) {
        int number = i;
        submit(_ -> told.add(number), i % 2 == 0 ? toTheLeft : toTheRight);
      }
    });
    next(left).run();
    assertThat(told).containsExactly(0, 2, 4);
    next(right).run();
    assertThat(told).containsExactly(0, 2, 4, 1, 3, 5);
    assertThat(left).isEmpty();
    assertThat(right).isEmpty();
  }

  @Test
  void tellsTheOthersWhereOneTellerHasEndedOrOneReplyThrows() throws Exception {
    BlockingQueue<Runnable> tasks = new LinkedBlockingQueue<>();
    Executor teller = tasks::add;
    List<String> told = new ArrayList<>();
    inOneBatch(() -> {
      submit(
          _ -> told.add("never"),
          _ -> {
            throw new RejectedExecutionException("it has ended");
          });
      submit(
          _ -> {
            throw new IllegalStateException("the connection is gone");
          },
          teller);
      submit(_ -> told.add("the last"), teller);
    });
    next(tasks).run();
    assertThat(told).containsExactly("the last");
  }

  /// Holds the owner while requests are handed in, so that it finds them together.
  private void inOneBatch(Runnable handIn) throws InterruptedException {
    CountDownLatch busy = new CountDownLatch(1);
    CountDownLatch release = new CountDownLatch(1);
    submit(
        _ -> {
          busy.countDown();
          try {
            assertThat(release.await(30, TimeUnit.SECONDS)).isTrue();
          } catch (InterruptedException e) {
            throw new AssertionError(e);
          }
        },
        Runnable::run);
    assertThat(busy.await(30, TimeUnit.SECONDS)).isTrue();
    handIn.run();
    release.countDown();
  }

  private void submit(Consumer<List<Answer>> answered, Executor teller) {
    owner.submit(
        new Request(
            List.of(new Command.GetJob()),
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {
                answered.accept(answers);
              }

              @Override
              public void fail(PliantException why) {
                throw new AssertionError(why);
              }
            },
            teller));
  }

  private static Runnable next(BlockingQueue<Runnable> tasks) throws InterruptedException {
    Runnable task = tasks.poll(30, TimeUnit.SECONDS);
    assertThat(task).isNotNull();
    return task;
  }
}
