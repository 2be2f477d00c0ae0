package dev.pliant.autoscaling.job;

import static dev.pliant.autoscaling.job.Jobs.input;
import static dev.pliant.autoscaling.job.Jobs.job;
import static dev.pliant.autoscaling.job.Jobs.plan;
import static dev.pliant.autoscaling.job.Jobs.reason;
import static dev.pliant.autoscaling.job.Jobs.running;
import static dev.pliant.autoscaling.job.Jobs.size;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What holds around every optimiser.
final class PlanFitterTest {
  private static final RoleConstraints SERVERS = RoleConstraints.of(1, 15);
  private static final RoleConstraints WORKERS = RoleConstraints.of(1, 60);

  private static PlanAnswer fit(
      JobStage stage, JobConstraints job, Allocation now, Map<String, RoleSize> planned) {
    PlanBuilder plan = new PlanBuilder(Rule.WORKERS_BY_SERVER_LOAD, Goal.SPEED);
    plan.count(InputName.WORKERS, 1);
    planned.forEach(plan::role);
    return new PlanFitter(
            AutoScalingSettings.DEFAULT.size(), stage, input(job, now, JobStatistics.EMPTY))
        .fit(plan.build(Allocation.NONE));
  }

  private static Allocation now(
      int servers, NodeResources server, int workers, NodeResources worker) {
    return running(
        Map.of(
            Roles.SERVER, new RoleSize(servers, server),
            Roles.WORKER, new RoleSize(workers, worker)));
  }

  static Stream<Arguments> bounds() {
    NodeResources has = size(4, 6_144);
    return Stream.of(
        arguments("workers are at most 60", WORKERS.withCount(1), 100, has, 60, has),
        arguments("and at most the job's maximum", RoleConstraints.of(1, 8), 100, has, 8, has),
        arguments("and at least the job's minimum", RoleConstraints.of(3, 8), 1, has, 3, has),
        arguments("in whole units", RoleConstraints.of(2, 9).withUnit(4), 7, has, 4, has),
        arguments("cores are at most 32", WORKERS, 3, size(64, 6_144), 3, size(32, 6_144)),
        arguments("memory is at most 65536", WORKERS, 3, size(4, 99_999), 3, size(4, 65_536)),
        arguments("in RUNNING a node has 4 cores and 6144 MiB", WORKERS, 3, size(1, 1_024), 3, has),
        arguments(
            "the user's size fills what is zero",
            WORKERS.withGiven(size(7, 7_000)),
            3,
            new NodeResources(0, 9_000, 0),
            3,
            size(7, 9_000)),
        arguments(
            "and nothing else",
            WORKERS.withGiven(size(7, 7_000)),
            3,
            size(5, 9_000),
            3,
            size(5, 9_000)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bounds")
  void workersKeepWithinTheirBounds(
      String what,
      RoleConstraints workers,
      int planned,
      NodeResources each,
      int wantCount,
      NodeResources wantEach) {
    PlanAnswer answer =
        fit(
            JobStage.RUNNING,
            job(null, null, Map.of(Roles.SERVER, SERVERS, Roles.WORKER, workers)),
            now(1, size(1, 8_000), 2, size(2, 2_000)),
            Map.of(Roles.WORKER, new RoleSize(planned, each)));

    assertThat(plan(answer).roles())
        .containsOnly(Map.entry(Roles.WORKER, new RoleSize(wantCount, wantEach)));
  }

  static Stream<Arguments> serversOfUsers() {
    return Stream.of(
        arguments("2 cores win", size(2, 0), size(2, 8_192)),
        arguments("less does not", size(1.9, 0), size(8, 8_192)),
        arguments("1024 MiB win", size(0, 1_024), size(8, 1_024)),
        arguments("less does not", size(0, 1_023), size(8, 8_192)));
  }

  @ParameterizedTest(name = "{0}: {1}")
  @MethodSource("serversOfUsers")
  void theUsersSizeOfAServerWins(String what, NodeResources given, NodeResources want) {
    PlanAnswer answer =
        fit(
            JobStage.CREATE,
            job(null, null, Map.of(Roles.SERVER, SERVERS.withGiven(given), Roles.WORKER, WORKERS)),
            Allocation.NONE,
            Map.of(Roles.SERVER, new RoleSize(40, size(8, 8_192))));

    // 40 is more than the 15 that there may be.
    assertThat(plan(answer).roles()).containsOnly(Map.entry(Roles.SERVER, new RoleSize(15, want)));
  }

  @Test
  void theUsersCountsWinInCreate() {
    PlanAnswer answer =
        fit(
            JobStage.CREATE,
            job(null, null, Map.of(Roles.WORKER, WORKERS.withCount(7))),
            Allocation.NONE,
            Map.of(Roles.WORKER, new RoleSize(1, size(1, 1_024))));

    assertThat(plan(answer).roles()).containsEntry(Roles.WORKER, new RoleSize(7, size(1, 1_024)));
  }

  @Test
  void aChiefIsOneOfTheWorkersAndAnEvaluatorGetsALargeWorkersSize() {
    Map<String, RoleConstraints> roles =
        Map.of(
            Roles.WORKER, WORKERS,
            Roles.CHIEF, RoleConstraints.of(1, 1).withGiven(new NodeResources(0, 9_000, 0)),
            Roles.EVALUATOR, RoleConstraints.of(0, 1));
    Map<String, RoleSize> large =
        plan(fit(
                JobStage.CREATE,
                job(null, null, roles),
                Allocation.NONE,
                Map.of(Roles.WORKER, new RoleSize(4, size(2, 1_024)))))
            .roles();
    Map<String, RoleSize> small =
        plan(fit(
                JobStage.CREATE,
                job(null, null, roles),
                Allocation.NONE,
                Map.of(Roles.WORKER, new RoleSize(4, size(1.9, 1_024)))))
            .roles();

    assertThat(large)
        .containsOnly(
            Map.entry(Roles.WORKER, new RoleSize(3, size(2, 1_024))),
            Map.entry(Roles.CHIEF, new RoleSize(1, size(2, 9_000))),
            Map.entry(Roles.EVALUATOR, new RoleSize(1, size(2, 1_024))));
    assertThat(small).containsEntry(Roles.EVALUATOR, new RoleSize(1, size(1, 8_000)));
  }

  @Test
  void aRoleThatTheUserSetsIsLeftAlone() {
    PlanAnswer answer =
        fit(
            JobStage.RUNNING,
            job(null, null, Map.of(Roles.WORKER, WORKERS.withAutoScale(false))),
            running(Map.of(Roles.WORKER, new RoleSize(2, size(1, 1_024)))),
            Map.of(Roles.WORKER, new RoleSize(5, size(1, 1_024))));

    assertThat(reason(answer)).isEqualTo(NoPlanReason.UNCHANGED);
  }

  static Stream<Arguments> limits() {
    NodeResources worker = size(4, 6_144);
    return Stream.of(
        arguments("8 + 5·4 cores are within 28", 28.0, 5, worker, 5, worker),
        arguments("8 + 4·4 cores are what 27 allow", 27.0, 5, worker, 4, worker),
        arguments("the count does not go below what runs", 9.0, 5, worker, 2, size(2, 6_144)),
        arguments(
            "the floor does not hold where the limits leave no room",
            19.0,
            5,
            size(2.2, 6_144),
            5,
            size(2.2, 6_144)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("limits")
  void allNodesTogetherKeepWithinTheLimits(
      String what,
      double limit,
      int planned,
      NodeResources each,
      int wantCount,
      NodeResources wantEach) {
    Allocation now = now(1, size(8, 8_000), 2, size(2, 6_144));
    PlanAnswer answer =
        fit(
            JobStage.RUNNING,
            job(limit, null, Map.of(Roles.SERVER, SERVERS, Roles.WORKER, WORKERS)),
            now,
            Map.of(Roles.WORKER, new RoleSize(planned, each)));

    if (wantCount == 2) {
      assertThat(reason(answer)).isEqualTo(NoPlanReason.UNCHANGED);
    } else {
      assertThat(plan(answer).roles())
          .containsOnly(Map.entry(Roles.WORKER, new RoleSize(wantCount, wantEach)));
    }
  }

  @Test
  void aBoundOfOursNeverShrinksWhatRuns() {
    Allocation now = running(Map.of(Roles.WORKER, new RoleSize(100, size(64, 6_144))));
    PlanAnswer answer =
        fit(
            JobStage.RUNNING,
            job(null, null, Map.of(Roles.WORKER, RoleConstraints.of(1, 1_000))),
            now,
            Map.of(Roles.WORKER, new RoleSize(120, size(64, 6_144))));

    assertThat(reason(answer)).isEqualTo(NoPlanReason.UNCHANGED);
  }

  @Test
  void aSmallChangeOfResourcesIsNone() {
    Allocation now = running(Map.of(Roles.WORKER, new RoleSize(2, size(8, 10_000))));
    PlanAnswer answer =
        fit(
            JobStage.RUNNING,
            job(null, null, Map.of(Roles.WORKER, WORKERS)),
            now,
            Map.of(Roles.WORKER, new RoleSize(3, size(8.5, 9_100))));

    assertThat(plan(answer).roles())
        .containsOnly(Map.entry(Roles.WORKER, new RoleSize(3, size(8, 10_000))));
    assertThat(plan(answer).choice().alternatives().list())
        .contains(new Rejection(Alternative.RESIZE_NODES, Objection.CHANGE_IS_TOO_SMALL));
  }

  @Test
  void aResizedRoleResizesItsNodes() {
    Allocation now = now(1, size(8, 8_000), 2, size(2, 2_000));
    ResourcePlan plan =
        plan(
            fit(
                JobStage.RUNNING,
                job(null, null, Map.of(Roles.WORKER, WORKERS)),
                now,
                Map.of(Roles.WORKER, new RoleSize(3, size(8, 9_000)))));

    assertThat(plan.appliedTo(now).nodes())
        .containsOnly(
            Map.entry(new NodeId(Roles.SERVER, 0), size(8, 8_000)),
            Map.entry(new NodeId(Roles.WORKER, 0), size(8, 9_000)),
            Map.entry(new NodeId(Roles.WORKER, 1), size(8, 9_000)));
  }
}
