package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.JobPlan.RolePlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Nodes that take longer to take another's place than their role allows.
class LateNodesTest {
  private static final int RESTARTS = 2;
  private static final NodeResources LARGE = new NodeResources(16, 8_192, 0);

  /// Workers whose restarts may take 30 s, or as long as they take.
  private static NodeLife workers(int wish, long restartMillis) {
    JobPlan plan = NodeLife.plan(1, Strategy.ALLREDUCE, wish, 1, 4, RESTARTS, LARGE);
    return NodeLife.of(
        new JobPlan(
            plan.job(),
            plan.run(),
            plan.strategy(),
            plan.elasticity(),
            new JobPlan.Workers(wish, 1, 4, RESTARTS, restartMillis, LARGE),
            plan.nprocPerNode(),
            plan.command(),
            plan.environment(),
            plan.workingFolder(),
            plan.checkpoint(),
            plan.pythonPackage(),
            plan.lastCallMillis(),
            plan.others(),
            plan.limits(),
            plan.uid()));
  }

  /// Two that ran, of which the second was killed; the pod of its successor is there.
  private static NodeLife oneIsMissing(long restartMillis) {
    NodeLife life = workers(2, restartMillis);
    life.runs(0, 1);
    life.ends(1, ExitReason.KILLED);
    isPending(life, 2);
    return life;
  }

  private static void isPending(NodeLife life, int worker) {
    life.hears(new NodeNews.Pending(NodeLife.worker(worker), ""));
  }

  @Test
  void oneThatDoesNotComeIsGivenUpAndUsesUpARestart() {
    NodeLife life = oneIsMissing(30_000);
    assertThat(life.node(2).restarts()).as("killed from outside").isZero();

    life.pass(29_999);
    assertThat(life.staying()).containsExactly("worker-0", "worker-2");
    life.pass(1);

    assertThat(life.staying()).containsExactly("worker-0", "worker-3");
    assertThat(life.node(2).released()).isTrue();
    assertThat(life.node(3).replaces()).isEqualTo(new NodeId("worker", 2));
    assertThat(life.node(3).rank()).isEqualTo(1);
    assertThat(life.node(3).restarts()).isEqualTo(1);
    assertThat(life.node(3).resources()).as("no smaller: it is not the size").isEqualTo(LARGE);
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.RESTART_TOOK_TOO_LONG);
  }

  @Test
  void theJobFailsWhenRestartsAreUsedUpAndSaysWhatItWaitedFor() {
    NodeLife life = oneIsMissing(30_000);

    life.pass(30_000);
    isPending(life, 3);
    life.pass(30_000);
    life.hears(new NodeNews.Pending(NodeLife.worker(4), "Unschedulable: no machine has room"));
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    life.pass(30_000);

    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPING);
    assertThat(life.table.target()).isEqualTo(JobPhase.FAILED);
    assertThat(life.table.phaseReason())
        .isEqualTo(
            "node worker-4 did not run within its restartTimeout of 30 s, and all 2 restarts are used up: Unschedulable: no machine has room");
  }

  @Test
  void oneThatRunsInTimeIsLeftAlone() {
    NodeLife life = oneIsMissing(30_000);
    life.pass(29_999);
    life.runs(2);

    life.pass(10_000_000);

    assertThat(life.staying()).containsExactly("worker-0", "worker-2");
    assertThat(life.node(2).restarts()).isZero();
  }

  @Test
  void afterARestAllTakeAsLongAsTheyTake() {
    NodeLife life = workers(2, 30_000);
    life.runs(0, 1);
    life.rest();
    life.ends(0, ExitReason.KILLED);
    life.ends(1, ExitReason.KILLED);
    life.goOn();
    assertThat(life.staying()).containsExactly("worker-2", "worker-3");

    life.pass(899_999);

    assertThat(life.staying()).containsExactly("worker-2", "worker-3");
  }

  @Test
  void aNewMasterHearsFirstWhatBecameOfIt() {
    NodeLife life = oneIsMissing(30_000);

    life.now += 90_000; // Nobody was there.
    life.table.masterStarted(life.now);
    life.pass(29_999);
    assertThat(life.staying()).containsExactly("worker-0", "worker-2");
    life.pass(1);

    assertThat(life.staying()).containsExactly("worker-0", "worker-3");
  }

  @Test
  void aFirstNodeIsNoRestart() {
    NodeLife life = workers(1, 30_000);

    life.pass(899_999);

    assertThat(life.staying()).containsExactly("worker-0");
  }

  @Test
  void withoutABoundARestartTakesAsLongAsItTakes() {
    NodeLife life = oneIsMissing(0);

    life.pass(899_999);

    assertThat(life.staying()).containsExactly("worker-0", "worker-2");
  }

  @Test
  void eachRoleHasItsOwn() {
    NodeLife life =
        NodeLife.of(
            NodeLife.with(
                NodeLife.plan(Strategy.LOCAL, 1, 1, 4, NodeResources.UNBOUNDED),
                new RolePlan("ps", 1, 0, 3, 1, 5_000, NodeResources.UNBOUNDED)));
    life.runs(0);
    life.hears(new NodeNews.Running(new NodeId("ps", 0)));
    life.hears(new NodeNews.Ended(new NodeId("ps", 0), 137, false, ExitReason.KILLED, ""));
    life.ends(0, ExitReason.KILLED);
    life.hears(new NodeNews.Pending(new NodeId("ps", 1), ""));
    isPending(life, 1);

    life.pass(5_000);

    assertThat(life.staying()).containsExactlyInAnyOrder("ps-2", "worker-1");
  }

  @Test
  void itFallsDueThoughNobodySaysAnything() {
    NodeLife life = oneIsMissing(30_000);

    assertThat(WorkerManager.nextDeadlineMillis(life.table)).isEqualTo(life.now + 30_000);
  }

  @Test
  void oneOfWhichNobodyHasHeardIsNotLate() {
    NodeLife life = workers(2, 30_000);
    life.runs(0, 1);
    life.ends(1, ExitReason.KILLED);

    life.pass(600_000); // Who was to make it was away, or the API server was.
    assertThat(life.staying()).containsExactly("worker-0", "worker-2");
    isPending(life, 2);
    life.pass(29_999);
    assertThat(life.staying()).containsExactly("worker-0", "worker-2");
    life.pass(1);

    assertThat(life.staying()).containsExactly("worker-0", "worker-3");
  }

  @Test
  void allThatAreLateAreGivenUpTogether() {
    NodeLife life = workers(4, 30_000);
    life.runs(0, 1, 2, 3);
    for (int i = 1; i < 4; i++) {
      life.ends(i, ExitReason.KILLED);
      isPending(life, i + 3);
    }

    life.now += 30_000;
    List<NodeDecision> late = WorkerManager.next(life.table, life.now);

    assertThat(late).hasSize(3).allMatch(one -> one.events().size() == 2);
    life.apply(late);
    assertThat(life.staying()).containsExactly("worker-0", "worker-7", "worker-8", "worker-9");
  }

  @Test
  void whileTheOthersFinishNobodyWaitsForIt() {
    NodeLife life = oneIsMissing(30_000);
    life.ends(0, 0);

    life.pass(30_001);

    assertThat(WorkerManager.nextDeadlineMillis(life.table)).isGreaterThan(life.now);
  }
}
