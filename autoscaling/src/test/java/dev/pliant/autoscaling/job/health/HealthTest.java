package dev.pliant.autoscaling.job.health;

import static dev.pliant.autoscaling.job.Jobs.running;
import static dev.pliant.autoscaling.job.Jobs.size;
import static dev.pliant.autoscaling.job.Jobs.statistics;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.autoscaling.job.Allocation;
import dev.pliant.autoscaling.job.AutoScalingSettings;
import dev.pliant.autoscaling.job.JobStatistics;
import dev.pliant.autoscaling.job.Jobs;
import dev.pliant.autoscaling.job.ModelFacts;
import dev.pliant.autoscaling.job.NodeUsage;
import dev.pliant.autoscaling.job.RoleSize;
import dev.pliant.autoscaling.job.Roles;
import dev.pliant.autoscaling.job.UsageRecord;
import dev.pliant.autoscaling.job.health.BatchTuner.Suggestion;
import dev.pliant.autoscaling.job.health.HangWatch.Finding;
import dev.pliant.autoscaling.job.health.LateShards.Lease;
import dev.pliant.autoscaling.job.health.Stragglers.Pace;
import dev.pliant.autoscaling.job.health.Stragglers.Straggler;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class HealthTest {
  private static final AutoScalingSettings SETTINGS = AutoScalingSettings.DEFAULT;

  // The batch: b = 8, s = 1024, h = 1024, 16 heads, 24 layers take
  // (34·8·1024·1024 + 5·8·1024²·16)·24 / 2^20 = (272 + 640)·24 = 21,888 MiB.

  private static final ModelFacts MODEL = new ModelFacts(0, 0, 8, 0, 0, 1_024, 1_024, 16, 24);

  private static JobStatistics withFree(ModelFacts model, double... freeMib) {
    List<NodeUsage> nodes = new ArrayList<>();
    for (int i = 0; i < freeMib.length; i++) {
      nodes.add(
          new NodeUsage(new NodeId(Roles.WORKER, i), NodeResources.UNBOUNDED, 1, 1, freeMib[i]));
    }
    return statistics(new UsageRecord(Jobs.NOW, nodes)).withModel(model);
  }

  static Stream<Arguments> batches() {
    return Stream.of(
        arguments("as much free as it takes: twice", withFree(MODEL, 21_888, 40_000), 16L),
        arguments("half as much: 12", withFree(MODEL, 10_944), 12L),
        arguments("rounded down", withFree(MODEL, 10_000), 11L),
        arguments(
            "values that cannot be are left out", withFree(MODEL, Double.NaN, -5, 21_888), 16L),
        arguments(
            "no more than the dataset has",
            withFree(new ModelFacts(0, 0, 8, 10, 0, 1_024, 1_024, 16, 24), 21_888),
            10L));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("batches")
  void aLargerBatchUsesTheFreeMemory(String what, JobStatistics statistics, long want) {
    Suggestion suggestion = new BatchTuner(SETTINGS.batch()).suggest(statistics, Jobs.NOW);

    assertThat(suggestion).isInstanceOf(Suggestion.LargerBatch.class);
    Suggestion.LargerBatch larger = (Suggestion.LargerBatch) suggestion;
    assertThat(larger.batchSize()).isEqualTo(want);
    assertThat(larger.factor()).isCloseTo(Math.sqrt(want / 8.0), within(1e-9));
    assertThat(larger.activationsMib()).isEqualTo(21_888);
  }

  static Stream<Arguments> noBatches() {
    return Stream.of(
        arguments(withFree(MODEL, 2_400), BatchTuner.Reason.TOO_LITTLE_FREE_MEMORY),
        arguments(withFree(MODEL, 2_401), BatchTuner.Reason.NO_LARGER_BATCH),
        arguments(withFree(MODEL), BatchTuner.Reason.NO_ACCELERATOR_MEASURED),
        arguments(JobStatistics.EMPTY, BatchTuner.Reason.NO_ACCELERATOR_MEASURED),
        arguments(withFree(ModelFacts.UNKNOWN, 9_000), BatchTuner.Reason.MODEL_UNKNOWN));
  }

  @ParameterizedTest(name = "{1}")
  @MethodSource("noBatches")
  void noLargerBatchIsSaidAsSuch(JobStatistics statistics, BatchTuner.Reason want) {
    assertThat(new BatchTuner(SETTINGS.batch()).suggest(statistics, Jobs.NOW))
        .isEqualTo(new Suggestion.NoChange(want));
  }

  // Late shards.

  @Test
  void aShardIsLateAfterFiveMinutesOrThreeTimesTheSlowest() {
    LateShards late = new LateShards(SETTINGS.stalls());
    Lease old = new Lease(1, new WorkerId("worker-0"), 1_000_000 - 300_001);
    Lease young = new Lease(2, new WorkerId("worker-1"), 1_000_000 - 300_000);
    Lease future = new Lease(3, new WorkerId("worker-2"), 2_000_000);

    assertThat(late.late(List.of(old, young, future), 0, 1_000_000)).containsExactly(old);
    assertThat(late.late(List.of(old, young), 100_001, 1_000_000)).isEmpty();
    assertThat(late.longestMillis(200_000)).isEqualTo(600_000);
    assertThat(late.longestMillis(-5)).isEqualTo(300_000);
  }

  // Stragglers.

  private static Pace pace(int node, double millis) {
    return new Pace(new NodeId(Roles.WORKER, node), millis);
  }

  @Test
  void whoTakesMoreThanTwiceTheMedianIsAStraggler() {
    Stragglers stragglers = new Stragglers(SETTINGS.stalls());
    List<Pace> paces =
        List.of(pace(0, 100), pace(1, 110), pace(2, 250), pace(3, 90), pace(4, Double.NaN));
    List<Straggler> found = stragglers.find(paces, List.of(), 50);

    // The median of 90, 100, 110 and 250 is 105.
    assertThat(found).containsExactly(new Straggler(new NodeId(Roles.WORKER, 2), 250 / 105.0, 50));
    assertThat(stragglers.find(paces, found, 80).getFirst().sinceMillis()).isEqualTo(50);
    assertThat(stragglers.find(List.of(pace(0, 1), pace(1, 9)), List.of(), 50)).isEmpty();
    assertThat(stragglers.find(List.of(pace(0, 100), pace(1, 100), pace(2, 200)), List.of(), 50))
        .isEmpty();
  }

  // Hangs.

  private static JobStatistics idle(double cpu) {
    Allocation now = running(Map.of(Roles.WORKER, new RoleSize(2, size(4, 1_000))));
    return statistics(Jobs.usage(5_000_000, now, 0, 0, cpu, 500));
  }

  static Stream<Arguments> hangs() {
    return Stream.of(
        arguments("idle and no progress", idle(0.19), 1_800_000L, new Finding.Hangs(3_200_000, 2)),
        arguments(
            "no progress for less than 30 minutes",
            idle(0.19),
            1_799_999L,
            new Finding.DoesNotHang(HangWatch.Reason.PROGRESS)),
        arguments(
            "5 % of 4 cores is not less than 5 %",
            idle(0.2), 1_800_000L, new Finding.DoesNotHang(HangWatch.Reason.NODES_WORK)),
        arguments(
            "nothing measured",
            JobStatistics.EMPTY,
            1_800_000L,
            new Finding.DoesNotHang(HangWatch.Reason.NOT_MEASURED)),
        arguments(
            "a value that cannot be",
            idle(Double.NaN),
            1_800_000L,
            new Finding.DoesNotHang(HangWatch.Reason.NOT_MEASURED)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hangs")
  void aJobHangsThatIsIdleAndMakesNoProgress(
      String what, JobStatistics statistics, long without, Finding want) {
    assertThat(new HangWatch(SETTINGS.stalls()).find(statistics, 5_000_000 - without, 5_000_000))
        .isEqualTo(want);
  }
}
