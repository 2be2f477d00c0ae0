package dev.pliant.autoscaling.job.local;

import static dev.pliant.autoscaling.job.Jobs.NOW;
import static dev.pliant.autoscaling.job.Jobs.input;
import static dev.pliant.autoscaling.job.Jobs.plan;
import static dev.pliant.autoscaling.job.Jobs.reason;
import static dev.pliant.autoscaling.job.Jobs.running;
import static dev.pliant.autoscaling.job.Jobs.size;
import static dev.pliant.autoscaling.job.Jobs.statistics;
import static dev.pliant.autoscaling.job.Jobs.usage;
import static dev.pliant.autoscaling.job.Jobs.withServers;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.autoscaling.job.Allocation;
import dev.pliant.autoscaling.job.AutoScalingSettings;
import dev.pliant.autoscaling.job.FreeRoom;
import dev.pliant.autoscaling.job.JobConstraints;
import dev.pliant.autoscaling.job.JobStage;
import dev.pliant.autoscaling.job.JobStatistics;
import dev.pliant.autoscaling.job.Jobs;
import dev.pliant.autoscaling.job.ModelFacts;
import dev.pliant.autoscaling.job.NoPlanReason;
import dev.pliant.autoscaling.job.NodeUsage;
import dev.pliant.autoscaling.job.OptimizerInput;
import dev.pliant.autoscaling.job.PlanAnswer;
import dev.pliant.autoscaling.job.ResourceOptimizer.Question;
import dev.pliant.autoscaling.job.ResourcePlan;
import dev.pliant.autoscaling.job.RoleConstraints;
import dev.pliant.autoscaling.job.RoleSize;
import dev.pliant.autoscaling.job.Roles;
import dev.pliant.autoscaling.job.SpeedSample;
import dev.pliant.autoscaling.job.UsageRecord;
import dev.pliant.autoscaling.job.WorkerPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Prediction;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class LocalOptimizerTest {
  private static final LocalOptimizer LOCAL = new LocalOptimizer(AutoScalingSettings.DEFAULT);

  private static PlanAnswer ask(JobStage stage, OptimizerInput input) {
    return LOCAL.optimize(new Question(stage, WorkerPhase.SAMPLE, true, true), input);
  }

  private static Allocation now(int servers, double serverCpu, int workers) {
    return running(
        Map.of(
            Roles.SERVER, new RoleSize(servers, size(serverCpu, 8_000)),
            Roles.WORKER, new RoleSize(workers, size(8, 8_000))));
  }

  // CREATE.

  static Stream<Arguments> firstSizes() {
    return Stream.of(
        arguments("a fifth of the limits", 40.0, 20_000L, size(8, 4_000)),
        arguments("a fifth is rounded up", 41.0, 20_001L, size(9, 4_001)),
        arguments("at most 16 cores and 8192 MiB", 1_000.0, 1_000_000L, size(16, 8_192)),
        arguments("at least 1 core and 1024 MiB", 2.0, 2_048L, size(1, 1_024)),
        arguments("memory that is not limited is not planned", 40.0, null, size(8, 0)),
        arguments("cores that are not limited are not planned", null, 20_000L, size(0, 4_000)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("firstSizes")
  void firstSizesAreSharesOfTheLimits(
      String what, @Nullable Double cpu, @Nullable Long memory, NodeResources want) {
    ResourcePlan plan =
        plan(
            ask(
                JobStage.CREATE,
                input(withServers(cpu, memory), Allocation.NONE, JobStatistics.EMPTY)));

    assertThat(plan.roles())
        .containsOnly(
            Map.entry(Roles.SERVER, new RoleSize(1, want)),
            Map.entry(Roles.WORKER, new RoleSize(1, want)));
    assertThat(plan.choice().rule()).isEqualTo(Rule.FIRST_SIZES);
  }

  @Test
  void aJobWithoutServersStartsWithOneWorker() {
    JobConstraints job = Jobs.group(10.0, RoleConstraints.of(1, 8));

    assertThat(plan(ask(JobStage.CREATE, input(job, Allocation.NONE, JobStatistics.EMPTY))).roles())
        .containsOnlyKeys(Roles.WORKER);
  }

  @Test
  void withoutLimitsThereIsNothingToSplit() {
    OptimizerInput input = input(withServers(null, null), Allocation.NONE, JobStatistics.EMPTY);

    assertThat(reason(ask(JobStage.CREATE, input))).isEqualTo(NoPlanReason.NO_LIMITS);
  }

  @Test
  void limitsSmallerThanTheSmallestNodesGiveNoPlan() {
    OptimizerInput input = input(withServers(1.5, 20_000L), Allocation.NONE, JobStatistics.EMPTY);

    assertThat(reason(ask(JobStage.CREATE, input))).isEqualTo(NoPlanReason.LIMITS_TOO_SMALL);
  }

  // Workers. One server of 10 cores; each worker uses 2 cores and 1,000 MiB.

  static Stream<Arguments> workers() {
    return Stream.of(
        arguments("0.9 / 0.5 times 4 workers", 5.0, 100.0, 1_000_000L, 7),
        arguments("rounded down: 0.9 / 0.7 times 4 is 5.14", 7.0, 100.0, 1_000_000L, 5),
        arguments("between 0.9 and 0.95 nothing is added", 9.2, 100.0, 1_000_000L, 4),
        arguments("the cores that are left are for 6 of 2", 5.0, 22.0, 1_000_000L, 6),
        arguments("the memory that is left is for 5 of 1500", 5.0, 100.0, 15_900L, 5),
        arguments("the limits may leave fewer than there are", 5.0, 16.0, 1_000_000L, 3));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("workers")
  void workersAreAsManyAsServersCanServe(
      String what, double serverCpu, double limitCpu, long limitMemory, int want) {
    Allocation now = now(1, 10, 4);
    JobStatistics statistics = statistics(usage(NOW - 1, now, serverCpu, 500, 2, 1_000));
    OptimizerInput input = input(withServers(limitCpu, limitMemory), now, statistics);

    // In RUNNING a server at 0.92 is hot, and comes first.
    List<JobStage> stages =
        serverCpu < 9
            ? List.of(JobStage.WORKER_INITIAL, JobStage.RUNNING)
            : List.of(JobStage.WORKER_INITIAL);
    for (JobStage stage : stages) {
      assertThat(plan(ask(stage, input)).roles())
          .as(stage.name())
          .containsOnly(Map.entry(Roles.WORKER, new RoleSize(want, size(2, 1_500))));
    }
  }

  static Stream<Arguments> noWorkers() {
    return Stream.of(
        arguments("above 0.95 servers are overloaded", 9.6, NoPlanReason.SERVERS_OVERLOADED),
        arguments("servers that use nothing say nothing", 0.0, NoPlanReason.SERVERS_UNUSED),
        arguments("a value that is no number", Double.NaN, NoPlanReason.NO_STATISTICS),
        arguments("a negative value", -1.0, NoPlanReason.NO_STATISTICS),
        arguments("an infinite value", Double.POSITIVE_INFINITY, NoPlanReason.NO_STATISTICS));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("noWorkers")
  void noPlanForWorkers(String what, double serverCpu, NoPlanReason want) {
    Allocation now = now(1, 10, 4);
    JobStatistics statistics = statistics(usage(NOW - 1, now, serverCpu, 500, 2, 1_000));

    assertThat(
            reason(ask(JobStage.WORKER_INITIAL, input(withServers(100.0, null), now, statistics))))
        .isEqualTo(want);
  }

  @Test
  void aWorkerHasAtLeastOneCoreAnd1024Mib() {
    Allocation now = now(1, 10, 4);
    JobStatistics statistics = statistics(usage(NOW - 1, now, 5, 500, 0.2, 100));

    assertThat(
            plan(ask(JobStage.RUNNING, input(withServers(100.0, null), now, statistics))).roles())
        .containsEntry(Roles.WORKER, new RoleSize(7, size(1, 1_024)));
  }

  @Test
  void aJobWithoutServersIsNotSizedByTheirLoad() {
    JobConstraints job = Jobs.group(10.0, RoleConstraints.of(1, 8));
    Allocation now = running(Map.of(Roles.WORKER, new RoleSize(2, size(1, 1_024))));
    JobStatistics statistics = statistics(usage(NOW - 1, now, 0, 0, 1, 100));

    assertThat(reason(ask(JobStage.WORKER_INITIAL, input(job, now, statistics))))
        .isEqualTo(NoPlanReason.NO_SERVERS);
  }

  // Speed ratio.

  static Stream<Arguments> speedRatios() {
    return Stream.of(
        arguments("twice as many, twice as fast", List.of(at(2, 100), at(4, 200)), 1.0),
        arguments("twice as many, half as much more", List.of(at(2, 100), at(4, 150)), 0.5),
        arguments("slower with more", List.of(at(2, 100), at(4, 90)), -0.1),
        arguments("fewer workers, as much slower", List.of(at(4, 200), at(2, 100)), 1.0),
        arguments("no earlier phase", List.of(at(4, 200)), 1.0),
        arguments("nothing measured", List.of(), 1.0),
        arguments("the earlier speed is 0", List.of(at(2, 0), at(4, 200)), 1.0),
        arguments("there were no workers earlier", List.of(at(0, 5), at(4, 200)), 1.0),
        arguments(
            "the number did not change, only servers",
            List.of(new SpeedSample(1, 4, 1, 100), new SpeedSample(2, 4, 2, 300)),
            1.0),
        arguments(
            "values that cannot be are left out",
            List.of(at(2, 100), at(3, Double.NaN), at(3, -5), at(4, 150)),
            0.5));
  }

  private static SpeedSample at(int workers, double speed) {
    return new SpeedSample(5, workers, 1, speed);
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("speedRatios")
  void speedRatioIsAnInputOfWorkerPlans(String what, List<SpeedSample> speeds, double want) {
    Allocation now = now(1, 10, 4);
    JobStatistics statistics =
        new JobStatistics(
            List.of(usage(NOW - 1, now, 5, 500, 2, 1_000)),
            speeds,
            ModelFacts.UNKNOWN,
            FreeRoom.UNKNOWN);
    PlanAnswer answer =
        ask(JobStage.WORKER_INITIAL, input(withServers(100.0, null), now, statistics));

    if (want < 0.2) {
      assertThat(reason(answer)).isEqualTo(NoPlanReason.WORKERS_ADD_TOO_LITTLE_SPEED);
    } else {
      Value ratio = plan(answer).choice().input(InputName.SPEED_RATIO);
      assertThat(ratio).isEqualTo(new Value.Amount(want));
    }
  }

  @Test
  void theSpeedThatIsExpectedFollowsTheSpeedRatio() {
    Allocation now = now(1, 10, 4);
    JobStatistics statistics =
        statistics(usage(NOW - 1, now, 5, 500, 2, 1_000)).with(at(2, 100)).with(at(4, 150));
    ResourcePlan plan =
        plan(ask(JobStage.RUNNING, input(withServers(100.0, null), now, statistics)));

    // 3 more workers, each half of 150/4.
    assertThat(plan.choice().prediction()).isEqualTo(new Prediction(150 + 3 * 37.5 * 0.5));
    assertThat(plan.choice().alternatives().list())
        .contains(new Rejection(Alternative.MORE_WORKERS, Objection.SERVERS_WOULD_BE_OVERLOADED));
  }

  // PS_INITIAL.

  static Stream<Arguments> initialServers() {
    return Stream.of(
        // What a worker needs: 4/4 of servers and 3 of its own; 40/(1+3) = 10 workers.
        arguments("10 workers leave 10 cores: 2 servers of 8", 8.0, 1, 4.0, 3.0, 40.0, 2),
        arguments("10 cores are 3 servers of 4", 4.0, 1, 4.0, 3.0, 40.0, 3),
        arguments("two servers count together: 8/4 and 3, 40/5 = 8", 8.0, 2, 4.0, 3.0, 40.0, 2),
        // 42/(1+3) = 10.5 workers leave 10.5 cores.
        arguments("the number of workers is not rounded", 10.0, 1, 4.0, 3.0, 42.0, 2));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("initialServers")
  void serversAreForTheWorkersThatTheLimitsAllow(
      String what,
      double configured,
      int servers,
      double serverCpu,
      double workerCpu,
      double limit,
      int want) {
    Allocation now = now(servers, configured, 4);
    JobStatistics statistics = statistics(usage(NOW - 1, now, serverCpu, 2_001, workerCpu, 1_000));

    assertThat(
            plan(ask(JobStage.PS_INITIAL, input(withServers(limit, null), now, statistics)))
                .roles())
        .containsOnly(Map.entry(Roles.SERVER, new RoleSize(want, size(configured, 2_401))));
  }

  @Test
  void withoutALimitForCpuTheInitialServersCannotBeComputed() {
    Allocation now = now(1, 8, 4);
    JobStatistics statistics = statistics(usage(NOW - 1, now, 4, 2_000, 3, 1_000));

    assertThat(reason(ask(JobStage.PS_INITIAL, input(withServers(null, null), now, statistics))))
        .isEqualTo(NoPlanReason.NO_LIMITS);
  }

  // Hot servers.

  // Two servers of 8 cores that use 7.2 and 4, four workers that use 1.2: each needs 2.8 + 1.2.

  static Stream<Arguments> hotServers() {
    return Stream.of(
        arguments("8 workers are twice as many; 4·2 is not above 8", 32.0, 1.0, hot(14.4)),
        arguments("no server gets more than 32, so f = 32/7.2", 100.0, 1.0, hot(32, 17.8)),
        arguments("without limits f = 32/7.2, too", null, 1.0, hot(32, 17.8)),
        arguments("the limits leave 4 of the 6.4 cores", 32.0, 3.0, hot(12)),
        arguments(
            "18 workers are 4.5 times; f = 4.44; a third is left", 75.0, 11.9, hot(16, 11.3)));
  }

  private static Map<NodeId, Double> hot(double... cpus) {
    Map<NodeId, Double> hot = new TreeMap<>();
    for (int i = 0; i < cpus.length; i++) {
      hot.put(new NodeId(Roles.SERVER, i), cpus[i]);
    }
    return hot;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("hotServers")
  void serversGrowAsTheWorkersMay(
      String what, @Nullable Double limit, double workerConfigured, Map<NodeId, Double> want) {
    ResourcePlan plan = plan(ask(JobStage.RUNNING, hotInput(limit, workerConfigured, 7.2)));

    Map<NodeId, Double> cpus = new TreeMap<>();
    plan.nodes().forEach((node, size) -> cpus.put(node, size.cpu()));
    assertThat(cpus).isEqualTo(want);
    assertThat(plan.roles()).isEmpty();
    assertThat(plan.choice().rule()).isEqualTo(Rule.HOT_SERVERS);
  }

  private static OptimizerInput hotInput(
      @Nullable Double limit, double workerConfigured, double used) {
    Allocation now =
        running(
            Map.of(
                Roles.SERVER, new RoleSize(2, size(8, 8_000)),
                Roles.WORKER, new RoleSize(4, size(workerConfigured, 1_024))));
    List<NodeUsage> usage = replaced(usage(NOW - 1, now, used, 500, 1.2, 100), "ps-1", 4);
    return input(withServers(limit, null), now, statistics(new UsageRecord(NOW - 1, usage)));
  }

  @Test
  void belowNineTenthsNoServerIsHotAndWorkersAreAsked() {
    assertThat(plan(ask(JobStage.RUNNING, hotInput(100.0, 1, 7.1))).choice().rule())
        .isEqualTo(Rule.WORKERS_BY_SERVER_LOAD);
  }

  @Test
  void aQuestionForServersAloneIsNotAnsweredWithWorkers() {
    Question servers = new Question(JobStage.RUNNING, WorkerPhase.STABLE, true, false);

    assertThat(reason(LOCAL.optimize(servers, hotInput(100.0, 1, 7.1))))
        .isEqualTo(NoPlanReason.NO_HOT_SERVER);
  }

  // Samples.

  @Test
  void theNewestFiveSamplesCount() {
    Allocation now = now(1, 10, 4);
    JobStatistics statistics = statistics(usage(1, now, 9.9, 500, 2, 9_000));
    for (int i = 2; i <= 6; i++) {
      statistics = statistics.with(usage(i, now, 5, 500, 2, 1_000));
    }

    assertThat(
            plan(ask(JobStage.RUNNING, input(withServers(100.0, null), now, statistics))).roles())
        .containsEntry(Roles.WORKER, new RoleSize(7, size(2, 1_500)));
  }

  @Test
  void samplesOfOtherServersOrAnotherNumberOfWorkersDoNotCount() {
    Allocation before = now(2, 10, 3);
    Allocation now = now(1, 10, 4);
    JobStatistics statistics =
        statistics(
            usage(NOW - 2, before, 9.9, 500, 7, 9_000), usage(NOW - 1, now, 5, 500, 2, 1_000));

    assertThat(
            plan(ask(JobStage.RUNNING, input(withServers(100.0, null), now, statistics))).roles())
        .containsEntry(Roles.WORKER, new RoleSize(7, size(2, 1_500)));
  }

  @Test
  void samplesOfTheFutureOrBeforeTheLastChangeDoNotCount() {
    Allocation now = now(1, 10, 4);
    JobStatistics statistics =
        statistics(usage(NOW - 9, now, 5, 500, 2, 1_000), usage(NOW + 1, now, 5, 500, 2, 1_000));
    OptimizerInput input =
        new OptimizerInput(withServers(100.0, null), now, statistics, NOW - 9, NOW);

    assertThat(reason(ask(JobStage.RUNNING, input))).isEqualTo(NoPlanReason.NO_STATISTICS);
  }

  @Test
  void aWorkersValueThatCannotBeIsLeftOutAlone() {
    Allocation now = now(1, 10, 4);
    List<NodeUsage> nodes = replaced(usage(NOW - 1, now, 5, 500, 2, 1_000), "worker-2", Double.NaN);

    assertThat(
            plan(ask(
                    JobStage.RUNNING,
                    input(
                        withServers(100.0, null),
                        now,
                        statistics(new UsageRecord(NOW - 1, nodes)))))
                .roles())
        .containsEntry(Roles.WORKER, new RoleSize(7, size(2, 1_500)));
  }

  // Out of memory.

  static Stream<Arguments> outOfMemory() {
    return Stream.of(
        arguments("twice as much", 2_000L, null, 4_000L),
        arguments("at most 8192 more", 20_000L, null, 28_192L),
        arguments("at most 65536", 60_000L, null, 65_536L),
        arguments("the limits leave 500 more", 2_000L, 8_000L + 2_000 + 500, 2_500L));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("outOfMemory")
  void aNodeThatRanOutOfMemoryGetsMore(String what, long has, @Nullable Long limit, long want) {
    Allocation now =
        running(
            Map.of(
                Roles.SERVER, new RoleSize(1, size(8, 8_000)),
                Roles.WORKER, new RoleSize(1, size(8, has))));
    NodeId node = new NodeId(Roles.WORKER, 0);
    PlanAnswer answer =
        LOCAL.recoverFromOom(
            List.of(node),
            JobStage.RUNNING,
            input(withServers(null, limit), now, JobStatistics.EMPTY));

    assertThat(plan(answer).nodes()).containsOnly(Map.entry(node, size(8, want)));
  }

  @Test
  void atTheMostMemoryThereIsNoPlan() {
    Allocation now = running(Map.of(Roles.WORKER, new RoleSize(1, size(8, 65_536))));

    assertThat(
            reason(
                LOCAL.recoverFromOom(
                    List.of(new NodeId(Roles.WORKER, 0)),
                    JobStage.RUNNING,
                    input(withServers(null, null), now, JobStatistics.EMPTY))))
        .isEqualTo(NoPlanReason.AT_MOST_MEMORY);
  }

  // By name.

  @Test
  void aNamedRuleTakesParameters() {
    Allocation now = now(1, 10, 4);
    OptimizerInput input =
        input(withServers(100.0, null), now, statistics(usage(NOW - 1, now, 5, 500, 2, 1_000)));
    TreeMap<String, Double> parameters = new TreeMap<>(Map.of("server-overload", 0.6));

    assertThat(plan(LOCAL.optimizeBy("workers", parameters, input)).roles())
        .containsEntry(Roles.WORKER, new RoleSize(4, size(2, 1_500)));
  }

  static Stream<Arguments> badParameters() {
    return Stream.of(
        arguments("shrink-rays", Map.of(), NoPlanReason.UNKNOWN_OPTIMIZER),
        arguments("workers", Map.of("colour", 1.0), NoPlanReason.BAD_PARAMETER),
        arguments("workers", Map.of("server-overload", 7.0), NoPlanReason.BAD_PARAMETER),
        arguments("workers", Map.of("samples", Double.NaN), NoPlanReason.BAD_PARAMETER));
  }

  @ParameterizedTest(name = "{0} {1}")
  @MethodSource("badParameters")
  void anUnknownNameOrParameterGivesNoPlan(
      String name, Map<String, Double> parameters, NoPlanReason want) {
    OptimizerInput input = input(withServers(1.0, null), Allocation.NONE, JobStatistics.EMPTY);

    assertThat(reason(LOCAL.optimizeBy(name, new TreeMap<>(parameters), input))).isEqualTo(want);
  }

  private static List<NodeUsage> replaced(UsageRecord record, String node, double cpu) {
    List<NodeUsage> nodes = new ArrayList<>(record.nodes());
    nodes.replaceAll(each ->
        each.node().toString().equals(node)
            ? new NodeUsage(each.node(), each.configured(), cpu, each.memoryMib())
            : each);
    return nodes;
  }
}
