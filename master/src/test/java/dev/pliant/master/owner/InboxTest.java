package dev.pliant.master.owner;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.Answer;
import dev.pliant.model.PliantException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

class InboxTest {
  private static final long LONG_NANOS = TimeUnit.SECONDS.toNanos(30);

  @Test
  void takesAsMuchAsThereIsRoomForAndAgainOnceSomeIsTaken() {
    Inbox inbox = new Inbox(2);
    Request first = request(0, 0);
    Request second = request(0, 1);
    assertThat(inbox.offer(first)).isTrue();
    assertThat(inbox.offer(second)).isTrue();
    assertThat(inbox.offer(request(0, 2))).isFalse();
    assertThat(inbox.size()).isEqualTo(2);
    List<Request> taken = new ArrayList<>();
    inbox.drainTo(taken, 1);
    assertThat(taken).containsExactly(first);
    Request third = request(0, 3);
    assertThat(inbox.offer(third)).isTrue();
    assertThat(inbox.drain()).containsExactly(second, third);
    assertThat(inbox.size()).isZero();
  }

  @Test
  void wakesWhoSleepsForWantOfWork() throws InterruptedException {
    Inbox inbox = new Inbox(1);
    Thread owner =
        Thread.ofPlatform()
            .start(() -> {
              while (inbox.size() == 0) {
                inbox.await(LONG_NANOS);
              }
            });
    Awaitility.await("the owner's sleep")
        .until(() -> owner.getState() == Thread.State.TIMED_WAITING);
    inbox.offer(request(0, 0));
    assertThat(owner.join(Duration.ofSeconds(10))).isTrue();
  }

  @Test
  void losesNothingAndKeepsEachCallersOrder() throws InterruptedException {
    int callers = 4;
    int each = 20_000;
    Inbox inbox = new Inbox(64);
    List<Thread> threads =
        IntStream.range(0, callers)
            .mapToObj(caller -> Thread.ofPlatform().start(() -> bring(inbox, caller, each)))
            .toList();
    Map<Integer, Integer> next = new HashMap<>();
    int seen = 0;
    long deadline = System.nanoTime() + LONG_NANOS;
    while (seen < callers * each && System.nanoTime() - deadline < 0) {
      inbox.await(LONG_NANOS); // One wake-up that is missed uses up all the time.
      List<Request> taken = new ArrayList<>();
      inbox.drainTo(taken, 64);
      assertThat(taken.size()).isLessThanOrEqualTo(64);
      for (Request request : taken) {
        Brought brought = (Brought) request.reply();
        assertThat(next.getOrDefault(brought.caller, 0)).isEqualTo(brought.number);
        next.put(brought.caller, brought.number + 1);
        seen++;
      }
    }
    assertThat(seen).isEqualTo(callers * each);
    assertThat(inbox.size()).isZero();
    for (Thread thread : threads) {
      assertThat(thread.join(Duration.ofSeconds(10))).isTrue();
    }
  }

  private static void bring(Inbox inbox, int caller, int count) {
    for (int i = 0; i < count; i++) {
      while (!inbox.offer(request(caller, i))) {
        Thread.yield();
      }
      if (i % 64 == caller) {
        LockSupport.parkNanos(1_000); // So that the inbox is empty at times, and the owner sleeps.
      }
    }
  }

  private static Request request(int caller, int number) {
    return new Request(List.of(), new Brought(caller, number));
  }

  private record Brought(int caller, int number) implements Request.Reply {
    @Override
    public void answer(List<Answer> answers) {}

    @Override
    public void fail(PliantException why) {
      throw new AssertionError(why);
    }
  }
}
