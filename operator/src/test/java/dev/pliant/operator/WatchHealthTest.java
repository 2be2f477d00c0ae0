package dev.pliant.operator;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class WatchHealthTest {
  @Test
  void allIsWellWhereAllWatchesWork() {
    assertThat(WatchHealth.sick(Map.of("pods", Map.of("a", true, "b", true)))).isNull();
  }

  @Test
  void aNamespaceThatIsGoneTakesNobodyElseDown() {
    assertThat(
            WatchHealth.sick(
                Map.of(
                    "pods", Map.of("a", true, "b", false),
                    "jobs", Map.of("a", true, "b", false))))
        .isNull();
  }

  @Test
  void oneWatchOfANamespaceThatIsThereIsMissed() {
    assertThat(
            WatchHealth.sick(
                Map.of(
                    "pods", Map.of("a", true, "b", false),
                    "jobs", Map.of("a", true, "b", true))))
        .isEqualTo("a watch has ended: [pods]");
  }

  @Test
  void whereNothingIsSeenAnyMoreThatIsSaid() {
    assertThat(WatchHealth.sick(Map.of("pods", Map.of("a", false), "jobs", Map.of("a", false))))
        .isEqualTo("no watch works");
    assertThat(WatchHealth.sick(Map.of("pods", Map.of("*", false), "jobs", Map.of("*", true))))
        .isEqualTo("a watch has ended: [pods]");
  }
}
