package dev.pliant.master.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.pliant.master.stats.StatsCollector.Sample;
import dev.pliant.model.NodeId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class StatsCollectorTest {
  private static final NodeId NODE = new NodeId("worker", 0);
  private static final long SECOND = 1_000_000_000;

  private final StatsCollector stats = new StatsCollector();

  @Test
  void keepsABoundedPastOfEachNode() {
    for (int i = 0; i < 3 * StatsCollector.SAMPLES; i++) {
      stats.collectNodeUsage(NODE, new Sample(i, i, 2 * i), Map.of("train", 10L * i));
    }

    assertThat(stats.history(NODE)).hasSize(StatsCollector.SAMPLES);
    assertThat(stats.node(NODE).orElseThrow().newest()).isEqualTo(new Sample(359, 359, 718));
    assertThat(stats.node(NODE).orElseThrow().activityMillis()).isEqualTo(Map.of("train", 3590L));
    stats.retain(List.of());
    assertThat(stats.node(NODE)).isEmpty();
  }

  @Test
  void measuresSpeedOverTheLastSeconds() {
    for (int second = 0; second <= 100; second++) {
      long records = second < 50 ? 0 : (second - 50) * 200L;
      stats.collectProgress(second * SECOND, records, records / 100);
    }

    assertThat(stats.speed().records()).isCloseTo(200, within(1.0));
    assertThat(stats.speed().steps()).isCloseTo(2, within(0.1));
  }

  @Test
  void aRestoredCheckpointIsNoNegativeSpeed() {
    stats.collectProgress(0, 1_000, 10);
    stats.collectProgress(SECOND, 500, 5);
    assertThat(stats.speed()).isEqualTo(StatsCollector.Speed.NONE);
    stats.collectProgress(2 * SECOND, 600, 6);

    assertThat(stats.speed().records()).isCloseTo(100, within(0.1));
  }
}
