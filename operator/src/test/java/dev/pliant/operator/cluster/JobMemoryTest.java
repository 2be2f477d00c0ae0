package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.operator.decision.Refusal;
import java.time.Instant;
import org.junit.jupiter.api.Test;

final class JobMemoryTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final JobMemory memory = new JobMemory();

  @Test
  void aSecondRefusalOfTheSamePodIsOneMoreAndIsTriedLater() {
    assertThat(memory.refused("w-0", "exceeded quota", NOW)).as("new").isTrue();
    long once = memory.refusedEver();
    assertThat(memory.refused("w-0", "exceeded quota", NOW.plusSeconds(1))).isFalse();

    assertThat(memory.refusedEver()).isEqualTo(once + 1);
    assertThat(memory.refusals(NOW.plusSeconds(1)))
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.tryAgainAt()).isEqualTo(NOW.plusSeconds(3)));
  }

  @Test
  void forgetsTheRefusalOfAPodThatWasTaken() {
    assertThat(memory.refused("w-0", "exceeded quota", NOW)).isTrue();
    memory.taken("w-0");

    assertThat(memory.refusals(NOW)).isEmpty();
  }

  @Test
  void whatKeptOthersOfItsRoleOutIsOverToo() {
    assertThat(memory.refused("j-worker-0", "exceeded quota", NOW)).isTrue();
    assertThat(memory.refused("j-worker-1", "exceeded quota", NOW)).isTrue();
    assertThat(memory.refused("j-ps-0", "exceeded quota", NOW)).isTrue();
    assertThat(memory.refused("role", "not allowed", NOW)).isTrue();
    memory.taken("j-worker-1");

    assertThat(memory.refusals(NOW)).extracting(Refusal::pod).containsExactly("j-ps-0", "role");
  }
}
