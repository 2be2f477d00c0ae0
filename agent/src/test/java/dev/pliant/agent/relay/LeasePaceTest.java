package dev.pliant.agent.relay;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeasePaceTest {
  @ParameterizedTest(name = "{0} ms a shard, {1} ahead allowed: {2}")
  @CsvSource({
    "0, 8, 8",
    "5, 8, 8",
    "2000, 8, 5",
    "9000, 8, 1",
    "600000, 8, 1",
    "5, 0, 0",
    "5, 1, 1"
  })
  void leasesAheadByTimeNotOnlyByNumber(long millis, int leaseAhead, int want) {
    LeasePace pace = new LeasePace(leaseAhead);
    long now = 0;
    for (int i = 0; i < 3; i++) {
      pace.asked(now);
      pace.handed(now);
      now += Duration.ofMillis(millis).toNanos();
    }
    pace.asked(now);
    assertThat(pace.target()).isEqualTo(want);
  }

  @Test
  void startsSmallWhileThePaceIsUnknown() {
    LeasePace pace = new LeasePace(8);
    assertThat(pace.begun()).isFalse();
    pace.asked(0);
    assertThat(pace.begun()).isTrue();
    assertThat(pace.target()).isEqualTo(2);
  }

  @Test
  void forgetsALongPauseSoon() {
    LeasePace pace = new LeasePace(8);
    long now = 0;
    pace.asked(now);
    pace.handed(now);
    now += Duration.ofMinutes(5).toNanos();
    pace.asked(now);
    assertThat(pace.target()).isEqualTo(1);
    for (int i = 0; i < 20; i++) {
      pace.handed(now);
      now += Duration.ofMillis(1).toNanos();
      pace.asked(now);
    }
    assertThat(pace.target()).isEqualTo(8);
  }
}
