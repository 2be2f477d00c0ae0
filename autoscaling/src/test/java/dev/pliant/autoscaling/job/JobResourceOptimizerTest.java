package dev.pliant.autoscaling.job;

import static dev.pliant.autoscaling.job.Jobs.job;
import static dev.pliant.autoscaling.job.Jobs.plan;
import static dev.pliant.autoscaling.job.Jobs.reason;
import static dev.pliant.autoscaling.job.Jobs.room;
import static dev.pliant.autoscaling.job.Jobs.size;
import static dev.pliant.autoscaling.job.Jobs.withServers;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.autoscaling.job.AutoScalingSettings.SizeSettings;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Prediction;
import dev.pliant.model.decision.Rule;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class JobResourceOptimizerTest {
  private static final AutoScalingSettings SETTINGS = AutoScalingSettings.DEFAULT;

  private static Simulation servers(double limitCpu, double serverLoad) {
    Simulation job = new Simulation(withServers(limitCpu, 200_000L), SETTINGS);
    job.cpu = node -> node.role().equals(Roles.SERVER) ? serverLoad * job.now.workers() : 1;
    return job;
  }

  private static Simulation group(int max) {
    Simulation job =
        new Simulation(
            job(100.0, 100_000L, Map.of(Roles.WORKER, RoleConstraints.of(1, max))), SETTINGS);
    job.room = room(1_000, 1_000_000);
    return job;
  }

  private static Simulation inRunning(Simulation job) {
    while (job.state.stage().stage() != JobStage.RUNNING) {
      job.round();
    }
    return job;
  }

  private static int workers(ResourcePlan plan) {
    RoleSize size = plan.roles().get(Roles.WORKER);
    return size == null ? 0 : size.count();
  }

  // CREATE.

  @Test
  void withoutLimitsAndWordsOfTheUserTheDefaultsHold() {
    Simulation job = new Simulation(withServers(null, null), SETTINGS);

    assertThat(plan(job.round()).roles())
        .containsOnly(
            Map.entry(Roles.SERVER, new RoleSize(1, size(1, 8_000))),
            Map.entry(Roles.WORKER, new RoleSize(2, size(1, 8_000))));
  }

  @Test
  void limitsAreSplitOverFiveNodes() {
    assertThat(plan(servers(40, 0).round()).roles())
        .containsOnly(
            Map.entry(Roles.SERVER, new RoleSize(1, size(8, 8_192))),
            Map.entry(Roles.WORKER, new RoleSize(1, size(8, 8_192))));
  }

  @Test
  void userCountsThatTheLimitsDoNotAllowBecomeFewer() {
    RoleConstraints workers = RoleConstraints.of(2, 60).withCount(30);
    Simulation job = new Simulation(job(50.0, null, Map.of(Roles.WORKER, workers)), SETTINGS);

    assertThat(plan(job.round()).roles())
        .containsEntry(Roles.WORKER, new RoleSize(5, size(10, 8_000)));
  }

  @Test
  void firstNodesBecomeSmallerWhereTheMinimumDoesNotFitOtherwise() {
    Simulation job =
        new Simulation(job(10.0, null, Map.of(Roles.WORKER, RoleConstraints.of(8, 60))), SETTINGS);

    assertThat(plan(job.round()).roles())
        .containsEntry(Roles.WORKER, new RoleSize(8, size(1.2, 8_000)));
  }

  @Test
  void limitsBelowTheSmallestNodesStartNothing() {
    Simulation job = servers(1.5, 0);

    assertThat(reason(job.round())).isEqualTo(NoPlanReason.LIMITS_TOO_SMALL);
    assertThat(job.state.stage()).isEqualTo(StageState.FIRST);
  }

  // Stages.

  @Test
  void aJobWithServersWalksItsStages() {
    Simulation job = servers(40, 0.5);
    job.round();
    assertThat(job.state.stage().stage()).isEqualTo(JobStage.WORKER_INITIAL);
    job.rounds(10);
    // One server of 8 cores, 0.5 used by the one worker: 0.9/(0.5/8) = 14 workers, 32 of 2 cores...
    ResourcePlan workers = job.plans.get(1);
    assertThat(workers.choice().rule()).isEqualTo(Rule.INITIAL_WORKERS);
    assertThat(workers.roles()).containsEntry(Roles.WORKER, new RoleSize(14, size(1, 1_024)));
    assertThat(job.state.stage().stage()).isEqualTo(JobStage.PS_INITIAL);
    job.rounds(11);
    // 40/(0.5+1) = 26.7 workers leave 13.3 cores: 2 servers of 8.
    ResourcePlan servers = job.plans.get(2);
    assertThat(servers.choice().rule()).isEqualTo(Rule.INITIAL_SERVERS);
    assertThat(servers.roles()).containsEntry(Roles.SERVER, new RoleSize(2, size(8, 1_024)));
    assertThat(job.state.stage()).isEqualTo(new StageState(JobStage.RUNNING, WorkerPhase.SAMPLE));
  }

  @Test
  void withoutStatisticsAStageWaits() {
    Simulation job = servers(40, 0.5);
    job.round();
    job.decide();
    job.millis += 1_000_000;

    assertThat(reason(job.decide())).isEqualTo(NoPlanReason.NO_STATISTICS);
    assertThat(job.state.stage().stage()).isEqualTo(JobStage.WORKER_INITIAL);
  }

  @Test
  void theSampleOfWorkersIsTakenOnce() {
    Simulation job = inRunning(servers(40, 0.01));
    job.rounds(200);

    assertThat(job.state.stage().phase()).isEqualTo(WorkerPhase.STABLE);
  }

  // Pacing.

  @Test
  void plansAreAtLeast300SecondsApartAndServerChangesAnHour() {
    Simulation job = servers(200, 0.5);
    job.rounds(1_000);

    List<Long> all = job.state.plans().stream().map(AppliedPlan::atMillis).toList();
    for (int i = 1; i < all.size(); i++) {
      assertThat(all.get(i) - all.get(i - 1)).isGreaterThanOrEqualTo(300_000);
    }
    List<Long> servers =
        job.state.plans().stream()
            .filter(AppliedPlan::changedServers)
            .map(AppliedPlan::atMillis)
            .toList();
    assertThat(servers).isNotEmpty();
    for (int i = 1; i < servers.size(); i++) {
      assertThat(servers.get(i) - servers.get(i - 1)).isGreaterThanOrEqualTo(3_600_000);
    }
  }

  @Test
  void aLostWorkerStopsPlansForAMinute() {
    Simulation job = group(8);
    job.rounds(20);
    Allocation whole = job.now;
    assertThat(whole.workers()).isGreaterThan(2);
    int plans = job.plans.size();
    TreeMap<NodeId, NodeResources> nodes = new TreeMap<>(whole.nodes());
    nodes.pollLastEntry();
    job.now = new Allocation(whole.roles(), nodes);
    job.rounds(3);
    job.now = whole;
    job.round();

    assertThat(reason(job.round())).isIn(NoPlanReason.WORKERS_NOT_STABLE, NoPlanReason.TOO_EARLY);
    assertThat(job.plans).hasSize(plans);
  }

  @Test
  void aPlanOfTheFutureDoesNotStopPlanning() {
    Simulation job = group(8);
    job.rounds(20);
    int plans = job.plans.size();
    job.millis -= 10_000_000;
    job.statistics = JobStatistics.EMPTY;
    job.rounds(30);

    assertThat(job.plans.size()).isGreaterThan(plans);
  }

  // Groups.

  @Test
  void aGroupGrowsUnitByUnitIntoFreeRoom() {
    Simulation job = group(60);
    job.room = room(24, 1_000_000);
    job.rounds(6);

    assertThat(job.plans.get(1).choice().rule()).isEqualTo(Rule.GROW_INTO_FREE_ROOM);
    assertThat(job.plans.get(1).roles())
        .containsEntry(Roles.WORKER, new RoleSize(2, size(16, 8_192)));
    assertThat(job.plans.get(1).choice().prediction()).isEqualTo(new Prediction(20));
  }

  @Test
  void aGroupGrowsByWholeUnitsUpToItsMaximum() {
    Simulation job =
        new Simulation(
            job(
                null,
                null,
                Map.of(Roles.WORKER, RoleConstraints.of(2, 7).withUnit(2).withCount(2))),
            SETTINGS);
    job.room = room(1_000, 1_000_000);
    job.rounds(200);

    assertThat(job.plans).extracting(JobResourceOptimizerTest::workers).containsExactly(2, 4, 6);
  }

  @Test
  void withoutFreeRoomAGroupStays() {
    Simulation job = group(60);
    job.room = room(0.5, 1_000_000);
    job.rounds(50);

    assertThat(job.plans).hasSize(1);
    assertThat(reason(job.round())).isEqualTo(NoPlanReason.NO_FREE_ROOM);
  }

  @Test
  void theLimitsOfTheJobBoundAGroup() {
    Simulation job = group(60);
    job.rounds(300);

    assertThat(job.now.role(Roles.WORKER)).isEqualTo(new RoleSize(6, size(16, 8_192)));
  }

  @Test
  void aGroupShrinksByAUnitWhereItIsNotHalfAsEfficient() {
    Simulation job = group(4);
    job.rounds(100);
    assertThat(job.now.workers()).isEqualTo(4);
    job.speed = allocation -> 4.5 * allocation.workers();
    job.rounds(4);

    ResourcePlan plan = job.plans.getLast();
    assertThat(plan.goal()).isEqualTo(Goal.EFFICIENCY);
    assertThat(workers(plan)).isEqualTo(3);
    assertThat(plan.choice().alternatives().list())
        .contains(new Rejection(Alternative.KEEP_SIZE, Objection.TRAINING_TOO_INEFFICIENT));
  }

  @Test
  void aSizeThatWasNotEfficientIsTriedAgainAnHourLater() {
    Simulation job = group(2);
    job.rounds(50);
    job.speed = allocation -> allocation.workers() == 2 ? 8 : 10;
    job.rounds(10);
    assertThat(job.now.workers()).isEqualTo(1);
    job.speed = allocation -> 10.0 * allocation.workers();
    job.rounds(100);
    assertThat(job.now.workers()).isEqualTo(1);
    job.rounds(30);

    assertThat(job.now.workers()).isEqualTo(2);
  }

  @Test
  void aSizeThatWasNotEfficientTwiceIsNotTriedAgain() {
    Simulation job = group(2);
    job.speed = allocation -> allocation.workers() == 2 ? 9.5 : 10;
    job.rounds(2_000);

    assertThat(job.plans)
        .extracting(JobResourceOptimizerTest::workers)
        .containsExactly(1, 2, 1, 2, 1);
  }

  // Outcomes.

  @Test
  void aPlanThatMadeTheTrainingSlowerIsTakenBackOnceAndNotTriedAgain() {
    Simulation job = group(8);
    job.speed = allocation -> allocation.workers() < 4 ? 10.0 * allocation.workers() : 25;
    job.rounds(500);

    assertThat(job.plans)
        .extracting(JobResourceOptimizerTest::workers)
        .containsExactly(1, 2, 3, 4, 3);
    assertThat(job.plans.getLast().goal()).isEqualTo(Goal.TAKE_BACK);
    assertThat(job.plans.getLast().choice().rule()).isEqualTo(Rule.SLOWER_THAN_BEFORE);
    PlanOutcome last = job.outcomes.getLast();
    assertThat(last.recordsPerSecondBefore()).isEqualTo(30);
    assertThat(last.recordsPerSecondAfter()).isEqualTo(25);
    assertThat(last.toMillis() - last.fromMillis()).isEqualTo(SETTINGS.outcome().windowMillis());
    assertThat(reason(job.round())).isEqualTo(NoPlanReason.SIZE_WAS_SLOWER);
  }

  @Test
  void aPlanThatMadeItSlowerByATenthIsKept() {
    Simulation job = group(4);
    job.speed = allocation -> allocation.workers() < 4 ? 10.0 * allocation.workers() : 27;
    job.rounds(200);

    assertThat(job.now.workers()).isEqualTo(4);
    assertThat(job.outcomes).noneMatch(PlanOutcome::slower);
  }

  // Memory.

  @Test
  void aNodeThatIsNearlyOutOfMemoryGetsMoreBeforeItRunsOut() {
    Simulation job = new Simulation(withServers(null, null), SETTINGS);
    job.round();
    NodeId full = new NodeId(Roles.WORKER, 1);
    job.memory = node -> node.equals(full) ? 7_300 : 500;
    job.rounds(3);

    ResourcePlan plan = job.plans.getLast();
    assertThat(plan.choice().rule()).isEqualTo(Rule.NEARLY_OUT_OF_MEMORY);
    assertThat(plan.nodes()).containsOnly(Map.entry(full, size(1, 16_000)));
    assertThat(plan.roles()).isEmpty();
    int plans = job.plans.size();
    job.rounds(2);
    assertThat(job.plans).hasSize(plans);
  }

  @Test
  void exactlyNineTenthsOrTwoSamplesAreNotEnough() {
    Simulation job = new Simulation(withServers(null, null), SETTINGS);
    job.round();
    job.memory = _ -> 7_200;
    job.rounds(5);
    job.memory = _ -> 7_201;
    job.rounds(2);
    job.memory = _ -> 7_200;
    job.rounds(2);

    assertThat(job.plans).noneMatch(plan -> plan.goal() == Goal.MEMORY);
  }

  @Test
  void aProgramThatGotMoreMemoryThreeTimesLeaks() {
    Simulation job = new Simulation(withServers(null, null), SETTINGS);
    job.round();
    NodeId leaks = new NodeId(Roles.WORKER, 0);
    job.memory = node -> node.equals(leaks) ? 0.95 * job.now.resources(node).memoryMib() : 500;
    job.rounds(8);
    assertThat(job.leaking).isEmpty();
    job.rounds(4);

    assertThat(job.leaking).containsExactly(leaks);
    job.rounds(100);
    assertThat(job.now.resources(leaks).memoryMib()).isEqualTo(65_536);
  }

  // Bad statistics.

  @Test
  void theSameStatisticsTwiceGiveNoSecondChange() {
    Simulation job = servers(40, 0.5);
    job.rounds(5);
    while (!(job.round() instanceof PlanAnswer.Planned)) {
      assertThat(job.plans).hasSize(1);
    }
    for (int i = 0; i < 500; i++) {
      assertThat(job.decide()).isInstanceOf(PlanAnswer.NoPlan.class);
    }
  }

  @Test
  void settingsMayAllowSmallerNodes() {
    SizeSettings size = SETTINGS.size();
    assertThat(size.floorCpu()).isEqualTo(4);
    AutoScalingSettings.LocalSettings local = SETTINGS.local();
    AutoScalingSettings small =
        SETTINGS.withLocal(
            new AutoScalingSettings.LocalSettings(
                local.samples(),
                0.3,
                local.initialMaxMemoryMib(),
                0.3,
                local.minMemoryMib(),
                local.initialNodes(),
                local.serverOverload(),
                local.serverHot(),
                local.serverMemoryMargin(),
                local.workerMemoryMargin(),
                local.minSpeedRatio(),
                local.maxServerUtilisation()));
    Simulation job =
        new Simulation(job(2.0, 4_096L, Map.of(Roles.WORKER, RoleConstraints.of(1, 6))), small);
    job.room = room(1.7, 3_000);
    job.round();

    assertThat(job.now.role(Roles.WORKER)).isEqualTo(new RoleSize(1, size(0.3, 1_024)));
    job.rounds(100);
    assertThat(job.now.workers()).isEqualTo(4);
  }
}
