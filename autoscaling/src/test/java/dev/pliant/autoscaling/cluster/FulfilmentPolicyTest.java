package dev.pliant.autoscaling.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.autoscaling.cluster.ClusterPod.Kind;
import dev.pliant.autoscaling.cluster.ClusterPod.Phase;
import dev.pliant.autoscaling.cluster.JobAllocation.State;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Value;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// One row a sentence of the seed's autoscaler.
final class FulfilmentPolicyTest {
  private static final PodSize GPU = PodSize.of(1, 1_000, 1);
  private static final PodSize CPU = PodSize.of(1, 1_000, 0);

  /// One node of 8 GPUs and more CPU and memory than anybody needs.
  private static Clusters gpus(int nodes) {
    return Clusters.of(nodes, 1_000, 1_000_000, 8);
  }

  /// One node of 100 cores: 97 may be used.
  private static Clusters cpus() {
    return Clusters.of(1, 100, 1_000_000, 0);
  }

  private static int[] on(int node, int count) {
    int[] on = new int[count];
    Arrays.fill(on, node);
    return on;
  }

  static Stream<Arguments> sizes() {
    return Stream.of(
        arguments(
            "free GPUs go to a job up to its maximum",
            gpus(1).running("a", 1, 5, GPU, 0),
            List.of(5)),
        arguments(
            "the controller tries to assign all GPUs",
            gpus(1).running("a", 1, 20, GPU, 0),
            List.of(8)),
        arguments(
            "the least fulfilled job gets first: 8 GPUs, 2 and 4 are used",
            gpus(1).running("a", 1, 5, GPU, on(0, 4)).running("b", 1, 5, GPU, on(0, 2)),
            List.of(4, 4)),
        arguments(
            "the order is found anew after each trainer: shares, not heads",
            gpus(1).running("a", 1, 3, GPU, 0).running("b", 1, 17, GPU, 0),
            List.of(2, 6)),
        arguments(
            "a tie goes to fewer GPUs an instance",
            gpus(1)
                .running("a", 1, 2, PodSize.of(1, 1_000, 2), 0)
                .running("b", 1, 2, GPU, on(0, 1))
                .running("c", 4, 4, GPU, on(0, 4)),
            List.of(1, 2, 4)),
        arguments(
            "then to less CPU requested",
            gpus(1)
                .running("a", 1, 2, PodSize.of(2, 1_000, 1), 0)
                .running("b", 1, 2, GPU, 0)
                .running("c", 5, 5, GPU, on(0, 5)),
            List.of(1, 2, 5)),
        arguments(
            "then to less memory requested",
            gpus(1)
                .running("a", 1, 2, PodSize.of(1, 2_000, 1), 0)
                .running("b", 1, 2, GPU, 0)
                .running("c", 5, 5, GPU, on(0, 5)),
            List.of(1, 2, 5)),
        arguments(
            "a new job takes from the most fulfilled until its minimum is met",
            gpus(1)
                .running("a", 1, 6, GPU, on(0, 5))
                .running("b", 1, 9, GPU, on(0, 3))
                .waiting("new", 2, 4, GPU),
            List.of(3, 3, 2)),
        arguments(
            "nobody goes below its own minimum",
            gpus(1).running("a", 7, 8, GPU, on(0, 8)).waiting("new", 2, 4, GPU),
            List.of(8, 0)),
        arguments(
            "a job that is not elastic is not scaled",
            gpus(1).running("a", 6, 6, GPU, on(0, 6)).waiting("new", 3, 4, GPU),
            List.of(6, 0)),
        arguments(
            "a GPU job waits where nobody can give",
            gpus(1).running("a", 8, 9, GPU, on(0, 8)).waiting("new", 1, 4, GPU),
            List.of(8, 0)),
        arguments(
            "a CPU job starts all the same",
            cpus().running("a", 97, 98, CPU, on(0, 97)).waiting("new", 2, 4, CPU),
            List.of(97, 2)),
        arguments(
            "CPU is given up to the load ceiling",
            cpus().running("a", 1, 200, CPU, 0),
            List.of(97)),
        arguments(
            "above the ceiling the most fulfilled shrinks",
            cpus().running("a", 1, 200, CPU, on(0, 60)).running("b", 1, 50, CPU, on(0, 40)),
            List.of(60, 37)),
        arguments(
            "memory has the ceiling, too",
            Clusters.of(1, 1_000, 10_000, 0).running("a", 1, 200, CPU, 0),
            List.of(9)),
        arguments(
            "a lack of GPUs never shrinks a job that uses none",
            gpus(1)
                .running("a", 1, 50, CPU, on(0, 50))
                .running("b", 8, 9, GPU, on(0, 8))
                .waiting("new", 1, 4, GPU),
            List.of(50, 8, 0)),
        arguments(
            "a job above its maximum comes down first",
            gpus(1).running("a", 1, 2, GPU, on(0, 8)).waiting("new", 6, 6, GPU),
            List.of(2, 6)),
        arguments(
            "a job above its maximum comes down without need",
            gpus(1).running("a", 1, 2, GPU, on(0, 5)),
            List.of(2)),
        arguments(
            "a trainer must fit on one node: 2 nodes of 8, 5 each",
            gpus(2).running("a", 1, 9, PodSize.of(1, 1_000, 5), 0),
            List.of(2)),
        arguments(
            "what is taken gives its node's room back",
            gpus(2)
                .running("a", 1, 2, PodSize.of(1, 1_000, 8), 0, 1)
                .waiting("new", 1, 1, PodSize.of(1, 1_000, 8)),
            List.of(1, 1)),
        arguments(
            "nothing is taken where it would not be enough",
            gpus(2)
                .running("a", 1, 8, GPU, on(0, 8))
                .running("b", 1, 8, GPU, on(1, 8))
                .waiting("new", 1, 1, PodSize.of(1, 1_000, 8)),
            List.of(8, 8, 0)),
        arguments(
            "in a cluster of no nodes nobody grows", gpus(0).waiting("a", 1, 4, GPU), List.of(0)),
        arguments("no jobs, no sizes", gpus(3), List.of()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("sizes")
  void jobsShareACluster(String what, Clusters cluster, List<Integer> want) {
    assertThat(cluster.sizes()).isEqualTo(want);
  }

  // Who may change.

  @Test
  void aJobIsResizedOnlyWhenAllItsPodsRun() {
    Clusters cluster = gpus(1).running("a", 1, 8, GPU, 0, 0);
    cluster.pods.set(
        1, new ClusterPod("a-1", "node-0", Phase.PENDING, GPU, Clusters.id("a"), Kind.TRAINER));

    assertThat(cluster.sizes()).containsExactly(2);
    assertThat(cluster.allocate().getFirst().choice().alternatives().list())
        .containsExactly(new Rejection(Alternative.GIVE_MORE, Objection.PODS_DO_NOT_ALL_RUN));
    // Unless some job has none running at all.
    assertThat(cluster.waiting("new", 1, 1, GPU).sizes()).containsExactly(7, 1);
  }

  @Test
  void aJobWithFewerPodsThanItIsToHaveIsNotResized() {
    Clusters cluster = gpus(1);
    cluster.pod("a-0", "node-0", Phase.RUNNING, GPU, "a", Kind.TRAINER);
    cluster.job("a", 1, 8, 2, GPU, null);

    assertThat(cluster.sizes()).containsExactly(2);
  }

  @Test
  void trainersThatSucceededNeedNoRoom() {
    Clusters cluster = gpus(1);
    cluster.pod("a-0", "node-0", Phase.SUCCEEDED, GPU, "a", Kind.TRAINER);
    cluster.pod("a-1", "node-0", Phase.RUNNING, GPU, "a", Kind.TRAINER);
    cluster.job("a", 2, 2, 2, GPU, null).running("b", 1, 20, GPU, 0);

    assertThat(cluster.sizes()).containsExactly(2, 7);
  }

  @Test
  void aJobThatWasJustChangedDoesNotGrow() {
    Clusters cluster = gpus(1).running("a", 1, 8, GPU, 0);
    ClusterJob job = cluster.jobs.getFirst();
    List<Long> changed = List.of(Clusters.NOW - 29_999, Clusters.NOW - 30_000, Clusters.NOW + 5);
    List<Integer> want = List.of(1, 8, 8);
    for (int i = 0; i < changed.size(); i++) {
      cluster.jobs.set(0, new ClusterJob(job.id(), 1, 8, 1, GPU, null, changed.get(i)));
      assertThat(cluster.sizes()).containsExactly(want.get(i));
    }
  }

  // Room.

  @Test
  void podsCountByTheirLimitsUnlessTheirRequestsAreToCount() {
    PodSize size = new PodSize(new PodAmounts(1, 1_000, 0), new PodAmounts(10, 1_000, 0));
    Clusters cluster = cpus().running("a", 1, 200, size, 0);

    assertThat(cluster.sizes()).containsExactly(9);
    assertThat(cluster.allocate(new FulfilmentSettings(0.97, true, 0, 5_000)).getFirst().trainers())
        .isEqualTo(97);
  }

  @Test
  void allPodsCountThatHaveNotEndedInitContainersToo() {
    PodSize inits =
        PodSize.of(
            List.of(PodSize.of(1, 10, 0), PodSize.of(2, 10, 0)),
            List.of(PodSize.of(40, 5, 0), PodSize.of(30, 5, 0)));
    assertThat(inits).isEqualTo(PodSize.of(40, 20, 0));
    Clusters cluster = cpus().running("a", 1, 200, CPU, 0);
    cluster.pod("other-0", "node-0", Phase.RUNNING, inits, null, Kind.OTHER);
    cluster.pod("other-1", null, Phase.PENDING, PodSize.of(7, 10, 0), null, Kind.OTHER);
    cluster.pod("done", "node-0", Phase.SUCCEEDED, PodSize.of(50, 10, 0), null, Kind.OTHER);
    cluster.pod("failed", "node-0", Phase.FAILED, PodSize.of(50, 10, 0), null, Kind.OTHER);
    cluster.pod("lost", "gone", Phase.RUNNING, PodSize.of(50, 10, 0), null, Kind.OTHER);

    assertThat(cluster.sizes()).containsExactly(50);
  }

  @Test
  void aNodeThatTakesNoPodsHasNoRoom() {
    Clusters cluster = gpus(1).running("a", 1, 20, GPU, 0);
    cluster.nodes.add(new ClusterNode("cordoned", new PodAmounts(99, 9_999, 8), false));

    assertThat(cluster.sizes()).containsExactly(8);
  }

  @Test
  void podsOnTheirWayOutGiveTheirRoomBack() {
    Clusters cluster = gpus(1).running("a", 1, 2, GPU, 0, 0, 0, 0, 0, 0, 0, 0);
    ClusterJob job = cluster.jobs.getFirst();
    cluster.jobs.set(0, new ClusterJob(job.id(), 1, 2, 2, GPU, null, 0));

    assertThat(cluster.waiting("new", 6, 6, GPU).sizes()).containsExactly(2, 6);
  }

  // Parameter servers.

  private static Clusters withServers(int trainers, ClusterJob.Servers servers) {
    Clusters cluster = Clusters.of(1, 20, 1_000_000, 0);
    for (int i = 0; i < trainers; i++) {
      cluster.pod("a-" + i, "node-0", Phase.RUNNING, CPU, "a", Kind.TRAINER);
    }
    for (int i = 0; i < servers.now(); i++) {
      cluster.pod("ps-" + i, "node-0", Phase.RUNNING, CPU, "a", Kind.SERVER);
    }
    return cluster.job("a", 2, 100, trainers, CPU, servers);
  }

  static Stream<Arguments> servers() {
    return Stream.of(
        // 19.4 cores: 12 trainers and 6 servers are 18; one more trainer needs a server, too: 20.
        arguments("in the ratio of the minima, rounded up", 1, 50, 1, 12, 6),
        arguments("no more than the job gives them", 1, 2, 1, 17, 2),
        arguments("as many as there are without a range", 1, 1, 1, 18, 1));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("servers")
  void serversAreScaledWithTheTrainers(
      String what, int min, int max, int now, int wantTrainers, int wantServers) {
    JobAllocation allocation =
        withServers(2, new ClusterJob.Servers(min, max, now, CPU)).allocate().getFirst();

    assertThat(allocation.trainers()).isEqualTo(wantTrainers);
    assertThat(allocation.servers()).isEqualTo(wantServers);
  }

  @Test
  void serversLeaveWithTheTrainersThatNeededThem() {
    Clusters cluster =
        withServers(12, new ClusterJob.Servers(1, 50, 6, CPU)).waiting("new", 9, 9, CPU);
    JobAllocation allocation = cluster.allocate().getFirst();

    // 19.4 less 9 are 10.4 cores: 6 trainers and 3 servers.
    assertThat(allocation.trainers()).isEqualTo(6);
    assertThat(allocation.servers()).isEqualTo(3);
    assertThat(allocation.choice().plan())
        .isEqualTo(
            new Plan.Several(
                List.of(new Plan.SetCount("trainer", 12, 6), new Plan.SetCount("pserver", 6, 3))));
  }

  // Bad input, and reasons.

  static Stream<Arguments> bad() {
    return Stream.of(
        arguments(
            "min above max",
            new ClusterJob(Clusters.id("x"), 5, 2, 1, GPU, null, 0),
            State.INVALID),
        arguments(
            "negative min",
            new ClusterJob(Clusters.id("x"), -1, 2, 1, GPU, null, 0),
            State.INVALID),
        arguments(
            "negative cores",
            new ClusterJob(Clusters.id("x"), 1, 2, 1, PodSize.of(-1, 1, 0), null, 0),
            State.INVALID),
        arguments(
            "no number",
            new ClusterJob(Clusters.id("x"), 1, 2, 1, PodSize.of(1, Double.NaN, 0), null, 0),
            State.INVALID),
        arguments(
            "servers that cannot be",
            new ClusterJob(Clusters.id("x"), 1, 2, 1, GPU, new ClusterJob.Servers(3, 1, 1, CPU), 0),
            State.INVALID),
        arguments(
            "fits no node",
            new ClusterJob(Clusters.id("x"), 1, 2, 1, PodSize.of(1, 1, 9), null, 0),
            State.FITS_NO_NODE),
        arguments(
            "a name that is taken",
            new ClusterJob(Clusters.id("a"), 1, 2, 1, GPU, null, 0),
            State.INVALID));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("bad")
  void aJobThatCannotBeKeepsItsSizeAndTheOthersGoOn(String what, ClusterJob job, State want) {
    Clusters cluster = gpus(1).running("a", 1, 20, GPU, 0);
    cluster.jobs.add(job);
    List<JobAllocation> allocations = cluster.allocate();

    assertThat(allocations.getFirst().trainers()).isEqualTo(8);
    assertThat(allocations.getLast().state()).isEqualTo(want);
    assertThat(allocations.getLast().trainers()).isEqualTo(1);
    assertThat(allocations.getLast().choice().plan()).isEqualTo(new Plan.ChangeNothing());
  }

  @Test
  void everySizeHasItsReason() {
    List<JobAllocation> allocations =
        gpus(1)
            .running("a", 1, 6, GPU, on(0, 5))
            .running("b", 3, 9, GPU, on(0, 3))
            .waiting("new", 2, 4, GPU)
            .allocate();
    JobAllocation taken = allocations.get(0);

    assertThat(taken.state()).isEqualTo(State.CHANGED);
    assertThat(taken.choice().rule()).isEqualTo(Rule.TAKEN_AS_MOST_FULFILLED);
    assertThat(taken.choice().input(InputName.FULFILMENT)).isEqualTo(new Value.Amount(0.8));
    assertThat(taken.choice().input(InputName.TAKEN_FOR)).isEqualTo(new Value.Name("default/new"));
    assertThat(taken.choice().alternatives().list())
        .containsExactly(new Rejection(Alternative.KEEP_SIZE, Objection.ANOTHER_JOB_BELOW_MINIMUM));
    assertThat(taken.choice().plan()).isEqualTo(new Plan.SetCount("trainer", 5, 3));
    assertThat(allocations.get(1).choice().rule()).isEqualTo(Rule.SIZE_KEPT);
    assertThat(allocations.get(2).choice().rule()).isEqualTo(Rule.RAISED_TO_MINIMUM);
  }
}
