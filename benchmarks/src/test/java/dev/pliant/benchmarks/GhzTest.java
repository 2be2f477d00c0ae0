package dev.pliant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class GhzTest {
  private static final String SUMMARY =
      """

      Summary:
        Count:	12765
        Total:	8.00 s
        Slowest:	136.34 ms
        Fastest:	2.13 ms
        Average:	19.89 ms
        Requests/sec:	1595.57

      Response time histogram:
        2.130   [1]     |

      Latency distribution:
        10 % in 15.52 ms\s
        50 % in 870.25 µs\s
        99 % in 1.03 s\s

      Status code distribution:
        [OK]   12765 responses  \s
      """;

  @Test
  void readsRateCountAndLatencies() throws IOException {
    Load load = Ghz.parse(SUMMARY);

    assertThat(load.perSecond()).isEqualTo(1595.57);
    assertThat(load.count()).isEqualTo(12765);
    assertThat(load.medianMs()).isEqualTo(0.87025);
    assertThat(load.p99Ms()).isEqualTo(1030);
  }

  @Test
  void callsThatFailedAreNoResult() {
    String failed =
        SUMMARY.replace("[OK]   12765 responses", "[OK]   12000 responses\n  [Unavailable] 765");

    assertThatIOException()
        .isThrownBy(() -> Ghz.parse(failed))
        .withMessageContaining("calls that failed")
        .withMessageContaining("[Unavailable] 765");
  }

  @Test
  void anErrorOfGhzItselfIsToldAsItIs() {
    assertThatIOException()
        .isThrownBy(() -> Ghz.parse("ghz: error: unknown long flag '--conections'"))
        .withMessageContaining("--conections");
  }
}
