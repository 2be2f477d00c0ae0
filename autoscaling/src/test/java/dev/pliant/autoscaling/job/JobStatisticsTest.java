package dev.pliant.autoscaling.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.NodeResources;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class JobStatisticsTest {

  @Test
  void eachRunOfAnEqualNumberOfNodesKeepsItsNewestFiveSpeeds() {
    JobStatistics statistics = JobStatistics.EMPTY;
    for (int i = 1; i <= 8; i++) {
      statistics = statistics.with(new SpeedSample(i, 2, 0, i));
    }
    for (int i = 9; i <= 15; i++) {
      statistics = statistics.with(new SpeedSample(i, 3, 0, i));
    }

    assertThat(statistics.speeds())
        .extracting(SpeedSample::atMillis)
        .containsExactly(4L, 5L, 6L, 7L, 8L, 11L, 12L, 13L, 14L, 15L);
  }

  @Test
  void theOldestRunsAreForgotten() {
    JobStatistics statistics = JobStatistics.EMPTY;
    for (int i = 0; i < 1_000; i++) {
      statistics = statistics.with(new SpeedSample(i, 1 + i % 2, 0, 1));
    }

    assertThat(statistics.speeds()).hasSize(JobStatistics.RUNS_KEPT);
    assertThat(statistics.speeds().getLast().atMillis()).isEqualTo(999);
  }

  @Test
  void theNewestFiveUsageRecordsAreKept() {
    JobStatistics statistics = JobStatistics.EMPTY;
    for (int i = 0; i < 9; i++) {
      statistics = statistics.with(new UsageRecord(i, List.of()));
    }

    assertThat(statistics.usage())
        .extracting(UsageRecord::atMillis)
        .containsExactly(4L, 5L, 6L, 7L, 8L);
  }

  @Test
  void nodesFitIntoMachinesNotIntoTheirSum() {
    FreeRoom room =
        new FreeRoom(
            List.of(
                new FreeRoom.Machine(3, 4_000, 1),
                new FreeRoom.Machine(1, 4_000, 0),
                new FreeRoom.Machine(Double.NaN, 4_000, 9),
                new FreeRoom.Machine(-2, 4_000, 9)));

    Map<NodeResources, Integer> want =
        Map.of(
            new NodeResources(2, 1_000, 0),
            1,
            new NodeResources(1, 2_000, 0),
            3,
            new NodeResources(0.1, 1_000, 0),
            8,
            new NodeResources(1, 0, 1),
            1,
            NodeResources.UNBOUNDED,
            0);
    want.forEach((size, fits) -> assertThat(room.fits(size)).as("%s", size).isEqualTo(fits));
  }
}
