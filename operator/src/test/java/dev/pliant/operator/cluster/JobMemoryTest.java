package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Instant;
import org.junit.jupiter.api.Test;

final class JobMemoryTest {
  private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

  private final JobMemory memory = new JobMemory();

  @Test
  void aSecondRefusalOfTheSamePodIsOneMoreAndIsTriedLater() {
    memory.refused("w-0", "exceeded quota", NOW);
    long once = memory.refusedEver();
    memory.refused("w-0", "exceeded quota", NOW.plusSeconds(1));

    assertThat(memory.refusedEver()).isEqualTo(once + 1);
    assertThat(memory.refusals(NOW.plusSeconds(1)))
        .singleElement()
        .satisfies(refusal -> assertThat(refusal.tryAgainAt()).isEqualTo(NOW.plusSeconds(3)));
  }

  @Test
  void forgetsTheRefusalOfAPodThatWasTaken() {
    memory.refused("w-0", "exceeded quota", NOW);
    memory.taken("w-0");

    assertThat(memory.refusals(NOW)).isEmpty();
  }
}
