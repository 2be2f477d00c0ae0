package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class PodLogsTest {
  private static final Duration REST = Duration.ofNanos(10);

  @Test
  void silenceCountsFromTheJobsEndOrTheLastLineAfterIt() {
    assertThat(PodLogs.silent(110, 100, 20, REST)).isFalse();
    assertThat(PodLogs.silent(111, 100, 20, REST)).isTrue();
    assertThat(PodLogs.silent(111, 100, 105, REST)).isFalse();
    assertThat(PodLogs.silent(1_000, 100, 995, REST)).isFalse();
    assertThat(PodLogs.silent(1_006, 100, 995, REST)).isTrue();
  }
}
