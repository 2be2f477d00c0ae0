package dev.pliant.operator.decision;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.operator.decision.PodView.Stage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Bad days of one job: its master changes its mind, pods end, vanish and hang, users suspend and
/// delete, and the operator sees late, is killed between any two actions and begins anew.
final class RandomSearchTest {
  private static final int STEPS = 120;

  private final List<String> seenEnds = new ArrayList<>();

  static LongStream seeds() {
    return LongStream.range(0, 600);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void keepsItsPromises(long seed) {
    run(seed);
  }

  /// A search that meets none of these ends proves nothing.
  @Test
  void meetsEveryKindOfEnd() {
    seeds().forEach(this::run);

    assertThat(seenEnds).contains("deleted", "over", "suspended", "running");
  }

  private void run(long seed) {
    Random random = new Random(seed);
    SmallCluster cluster =
        new SmallCluster(
            List.of("None", "Running", "All").get(random.nextInt(3)),
            random.nextInt(4) == 0 ? 30 : null);
    for (int step = 0; step < STEPS && !cluster.deleted; step++) {
      switch (random.nextInt(10)) {
        case 0, 1, 2 -> operate(cluster, random);
        case 3, 4 -> masterDecides(cluster, random);
        case 5, 6 -> podMoves(cluster, random);
        case 7 -> look(cluster, random);
        case 8 -> cluster.pass(Duration.ofSeconds(random.nextInt(20)));
        case 9 -> userActs(cluster, random);
        default -> throw new AssertionError();
      }
    }
    settle(cluster);
    check(cluster);
  }

  /// One look of the operator, which may be killed after any of its actions.
  private static void operate(SmallCluster cluster, Random random) {
    Reaction reaction = JobDecision.decide(cluster.observed());
    boolean killed = random.nextInt(3) == 0;
    int actions = reaction.actions().size();
    int done = killed ? random.nextInt(actions + 1) : actions;
    for (Action action : reaction.actions().subList(0, done)) {
      cluster.obey(action);
    }
    if (killed) {
      cluster.tried = false;
      cluster.seeAll();
    } else if (reaction.status() != null && !cluster.deleted) {
      cluster.status = reaction.status();
    }
  }

  private static void look(SmallCluster cluster, Random random) {
    if (random.nextBoolean()) {
      cluster.seePlan();
    }
    cluster.podNames().stream().filter(_ -> random.nextBoolean()).forEach(cluster::seePod);
  }

  private static void masterDecides(SmallCluster cluster, Random random) {
    if (!cluster.masterLives() || over(cluster)) {
      return;
    }
    List<String> toRun = new ArrayList<>(cluster.toRun());
    List<String> toGo = new ArrayList<>(cluster.toGo());
    if (cluster.suspend && random.nextBoolean()) {
      rest(cluster);
      return;
    }
    JobStatePhase phase = JobStatePhase.Running;
    switch (random.nextInt(12)) {
      case 0, 1, 2, 3 -> {
        for (int i = random.nextInt(3); i >= 0; i--) {
          toRun.add("digits-worker-" + cluster.nextNode++);
        }
      }
      case 4, 5 -> {
        if (!toRun.isEmpty()) {
          toGo.add(toRun.removeLast());
        }
      }
      case 6 -> toGo.clear();
      case 7, 8 ->
          toRun.removeIf(name -> !cluster.pods.containsKey(name) || cluster.pods.get(name).ended());
      case 9 -> toRun.clear();
      case 10 -> {}
      case 11 -> phase = random.nextBoolean() ? JobStatePhase.Succeeded : JobStatePhase.Failed;
      default -> throw new AssertionError();
    }
    if (cluster.plan == null || random.nextInt(12) != 11 || phase != JobStatePhase.Running) {
      cluster.write(toRun, toGo, phase);
    }
  }

  /// Lets all nodes go, and forgets those that are gone.
  private static void rest(SmallCluster cluster) {
    List<String> toGo = new ArrayList<>(cluster.toGo());
    toGo.addAll(cluster.toRun());
    toGo.removeIf(name -> !cluster.pods.containsKey(name) || cluster.pods.get(name).ended());
    cluster.write(List.of(), toGo, JobStatePhase.Suspended);
  }

  private static boolean over(SmallCluster cluster) {
    return cluster.plan != null
        && cluster.plan.job() != null
        && Phases.over(Objects.requireNonNull(cluster.plan.job().phase()));
  }

  private static void podMoves(SmallCluster cluster, Random random) {
    if (cluster.pods.isEmpty()) {
      return;
    }
    String name = List.copyOf(cluster.pods.keySet()).get(random.nextInt(cluster.pods.size()));
    PodView pod = Objects.requireNonNull(cluster.pods.get(name));
    switch (random.nextInt(6)) {
      case 0, 1, 2 -> cluster.become(name, Stage.RUNNING);
      case 3 -> cluster.become(name, pod.isMaster() ? Stage.FAILED : Stage.SUCCEEDED);
      case 4 -> {
        if (recorded(cluster, pod)) {
          cluster.pods.remove(name);
        }
      }
      case 5 -> {
        if (pod.deleting()) {
          cluster.pods.remove(name);
        }
      }
      default -> throw new AssertionError();
    }
  }

  /// A pod that is made and gone before anybody could write down that it was made is the one thing
  /// that would be made again.
  private static boolean recorded(SmallCluster cluster, PodView pod) {
    return pod.isMaster()
        || (cluster.planStatus != null
            && cluster.planStatus.createdPods() != null
            && cluster.planStatus.createdPods().contains(pod.name()));
  }

  private static void userActs(SmallCluster cluster, Random random) {
    switch (random.nextInt(12)) {
      case 0, 1 -> cluster.suspend = true;
      case 2, 3, 4, 5 -> cluster.suspend = false;
      case 6 -> {
        if (random.nextInt(5) == 0) {
          cluster.deleteJob();
        }
      }
      case 7 -> {
        if (!cluster.objects.isEmpty()) {
          cluster.objects.remove(List.copyOf(cluster.objects.keySet()).getFirst());
        }
      }
      case 8, 9, 10, 11 -> {}
      default -> throw new AssertionError();
    }
  }

  /// Nothing bad happens any more: pods start, those told to go are gone, all is seen.
  private static void settle(SmallCluster cluster) {
    for (int round = 0; round < 100; round++) {
      cluster.seeAll();
      Reaction reaction = JobDecision.decide(cluster.observed());
      reaction.actions().forEach(cluster::obey);
      if (!cluster.deleted && reaction.status() != null) {
        cluster.status = reaction.status();
      }
      boolean moved = false;
      for (PodView pod : List.copyOf(cluster.pods.values())) {
        if (pod.deleting()) {
          cluster.pods.remove(pod.name());
          moved = true;
        } else if (pod.stage() == Stage.PENDING) {
          cluster.become(pod.name(), Stage.RUNNING);
          moved = true;
        }
      }
      if (!moved && reaction.actions().isEmpty() && reaction.lookAgainAt() == null) {
        return;
      }
      cluster.pass(Duration.ofSeconds(10));
    }
    throw new AssertionError("the job never comes to rest");
  }

  private void check(SmallCluster cluster) {
    List<String> living =
        cluster.pods.values().stream()
            .filter(pod -> !pod.ended() && !pod.isMaster())
            .map(PodView::name)
            .toList();
    List<PodView> masters =
        cluster.pods.values().stream().filter(pod -> pod.isMaster() && !pod.ended()).toList();
    if (cluster.deleted) {
      seenEnds.add("deleted");
      assertThat(cluster.pods).isEmpty();
      assertThat(cluster.objects).isEmpty();
    } else if (over(cluster)) {
      seenEnds.add("over");
      checkOver(cluster, living, masters);
    } else if (cluster.suspend) {
      seenEnds.add("suspended");
      assertThat(living).isEmpty();
      assertThat(masters).isEmpty();
      assertThat(Objects.requireNonNull(cluster.status).phase()).isEqualTo(JobStatePhase.Suspended);
    } else {
      seenEnds.add("running");
      assertThat(masters).hasSize(1);
      assertThat(cluster.objects)
          .containsOnlyKeys(EnumSet.complementOf(EnumSet.of(JobObject.NODES_SERVICE)));
      checkPlan(cluster, living);
    }
  }

  private static void checkOver(SmallCluster cluster, List<String> living, List<PodView> masters) {
    assertThat(cluster.objects).isEmpty();
    switch (Objects.requireNonNull(cluster.resource.getSpec().cleanPodPolicy())) {
      case None -> {}
      case Running -> {
        assertThat(living).isEmpty();
        assertThat(masters).isEmpty();
      }
      case All -> assertThat(cluster.pods).isEmpty();
    }
    assertThat(cluster.resource.getSpec().ttl()).as("its ttl is over").isNull();
  }

  private static void checkPlan(SmallCluster cluster, List<String> living) {
    if (cluster.plan == null) {
      assertThat(living).isEmpty();
      return;
    }
    List<String> toRun = new ArrayList<>(cluster.toRun());
    toRun.removeAll(cluster.toGo());
    assertThat(toRun).containsAll(living);
    assertThat(cluster.creations.keySet()).containsAll(toRun);
    toRun.forEach(name ->
        assertThat(living.contains(name) || goneOrEnded(cluster, name))
            .as(name + " runs, or has run")
            .isTrue());
    assertThat(cluster.creations.entrySet())
        .filteredOn(entry -> entry.getKey().contains("worker"))
        .allMatch(entry -> entry.getValue() == 1);
  }

  private static boolean goneOrEnded(SmallCluster cluster, String name) {
    PodView pod = cluster.pods.get(name);
    return pod == null || pod.ended();
  }
}
