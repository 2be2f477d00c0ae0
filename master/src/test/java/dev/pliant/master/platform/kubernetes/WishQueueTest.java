package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.ScalePlan;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WishQueueTest {
  private static final HasMetadata OLDER = plan("older", 1, 1);
  private static final HasMetadata NEWER = plan("newer", 1, 2);

  private final WishQueue queue = new WishQueue(job(5), millis(0));

  private static long millis(long millis) {
    return TimeUnit.MILLISECONDS.toNanos(millis);
  }

  private static <T extends HasMetadata> T with(T object, String name, long generation, int day) {
    object.setMetadata(
        new ObjectMetaBuilder()
            .withName(name)
            .withUid("uid-of-" + name)
            .withGeneration(generation)
            .withCreationTimestamp("2026-01-0%dT00:00:00Z".formatted(day))
            .build());
    return object;
  }

  private static HasMetadata job(long generation) {
    return with(new ElasticJobResource(), "digits", generation, 1);
  }

  private static HasMetadata plan(String name, long generation, int day) {
    return with(new ScalePlan(), name, generation, day);
  }

  @Test
  void anOlderFormOfTheJobThanItBeganWithCountsNot() {
    assertThat(queue.offer(job(4), millis(0))).isFalse();
    assertThat(queue.take(millis(0))).isEmpty();

    assertThat(queue.offer(job(5), millis(0))).isTrue();
    assertThat(queue.offer(job(7), millis(0))).isTrue();
    assertThat(queue.offer(job(6), millis(0))).isFalse();

    assertThat(queue.take(millis(0)))
        .singleElement()
        .satisfies(taken -> assertThat(taken.getMetadata().getGeneration()).isEqualTo(7));
  }

  @Test
  void aListThatLackedTheJobMakesItNoYounger() {
    queue.forget(job(5));

    assertThat(queue.offer(job(4), millis(0))).isFalse();
  }

  @Test
  void whatIsDeletedWaitsNoMore() {
    queue.offer(OLDER, millis(0));
    queue.again(NEWER, millis(0));

    queue.forget(OLDER);
    queue.forget(NEWER);

    assertThat(queue.take(millis(60_000))).isEmpty();
    assertThat(queue.waitNanos(millis(60_000))).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void theOldestGoFirst() {
    queue.offer(NEWER, millis(0));
    queue.offer(OLDER, millis(0));

    assertThat(queue.take(millis(0))).containsExactly(OLDER, NEWER);
    assertThat(queue.take(millis(0))).isEmpty();
  }

  @Test
  void oneThatFailsAfterItWasDeletedIsDoneWith() {
    queue.offer(OLDER, millis(0));
    assertThat(queue.take(millis(0))).containsExactly(OLDER);
    queue.forget(OLDER);

    queue.again(OLDER, millis(0));

    assertThat(queue.take(millis(60_000))).isEmpty();
  }

  @Test
  void oneThatFailsWaitsLongerEachTimeAndByItself() {
    queue.offer(OLDER, millis(0));
    assertThat(queue.take(millis(0))).containsExactly(OLDER);
    queue.again(OLDER, millis(0));
    assertThat(queue.waitNanos(millis(0))).isEqualTo(millis(200));
    queue.offer(NEWER, millis(100));

    assertThat(queue.take(millis(100))).containsExactly(NEWER);
    assertThat(queue.take(millis(200))).containsExactly(OLDER);
    queue.again(OLDER, millis(200));
    assertThat(queue.take(millis(599))).isEmpty();
    assertThat(queue.take(millis(600))).containsExactly(OLDER);

    queue.done(OLDER);
    queue.again(OLDER, millis(600));
    assertThat(queue.take(millis(800))).containsExactly(OLDER);
  }

  @Test
  void aNewerFormGoesBeforeOneThatFailed() {
    HasMetadata changed = plan("older", 2, 1);
    queue.offer(changed, millis(0));
    queue.again(OLDER, millis(0));

    assertThat(queue.take(millis(0))).containsExactly(changed);
  }

  @Test
  void allWaitInTheirOrderWhileTheMachineTakesNothing() {
    queue.hold(List.of(NEWER), millis(0));
    queue.offer(OLDER, millis(100));
    assertThat(queue.take(millis(199))).isEmpty();
    assertThat(queue.waitNanos(millis(100))).isEqualTo(millis(100));

    assertThat(queue.take(millis(200))).containsExactly(OLDER, NEWER);
    queue.hold(List.of(OLDER, NEWER), millis(200));
    assertThat(queue.take(millis(599))).isEmpty();
    assertThat(queue.take(millis(600))).containsExactly(OLDER, NEWER);
  }
}
