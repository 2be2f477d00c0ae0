package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Rule;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/// Roles beside workers.
class RolesTest {
  private static NodeLife job(JobPlan.RolePlan... others) {
    return NodeLife.of(
        NodeLife.with(NodeLife.plan(Strategy.LOCAL, 1, 1, 4, NodeResources.UNBOUNDED), others));
  }

  private static JobPlan.RolePlan role(String name, int wish) {
    return new JobPlan.RolePlan(name, wish, 0, 3, 1, NodeResources.UNBOUNDED);
  }

  private static JobStanding.Size size(String role, int wish, int min, int max) {
    return new JobStanding.Size(
        role, wish, min, max, NodeResources.UNBOUNDED, NodeResources.UNBOUNDED);
  }

  private static NodeId ps(int number) {
    return new NodeId("ps", number);
  }

  private static void ends(NodeLife life, NodeId node, int code) {
    life.hears(new NodeNews.Ended(node, code, false, null, ""));
  }

  @Test
  void eachHasItsOwnCountAndNumbers() {
    NodeLife life = job(role("ps", 2), role("evaluator", 0));

    assertThat(life.staying()).containsExactly("ps-0", "ps-1", "worker-0");
    assertThat(life.table.desired().job().roles())
        .containsExactly(size("worker", 1, 1, 4), size("evaluator", 0, 0, 3), size("ps", 2, 0, 3));
  }

  @Test
  void itsSizeIsTheOneThatWasWishedLast() {
    NodeResources planned = new NodeResources(1, 512, 0);
    NodeResources wished = new NodeResources(2, 256, 0);
    NodeLife life = job(new JobPlan.RolePlan("ps", 1, 0, 3, 1, planned));

    life.table.apply(new NodeEvent.RoleResized("ps", wished), 0);

    assertThat(life.table.desired().job().roles())
        .contains(new JobStanding.Size("ps", 1, 0, 3, planned, wished));
  }

  @Test
  void oneThatEndsIsReplacedInItsPlace() {
    NodeLife life = job(role("ps", 2));
    life.hears(new NodeNews.Running(ps(0)));
    ends(life, ps(0), 137);

    assertThat(life.staying()).containsExactly("ps-1", "worker-0", "ps-2");
    assertThat(Objects.requireNonNull(life.table.node(ps(2))).rank()).isZero();
  }

  @Test
  void itsRestartsAreItsOwn() {
    NodeLife life = job(role("ps", 1));
    life.runs(0);
    ends(life, ps(0), 1);
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    ends(life, ps(1), 1);

    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPING);
    assertThat(life.table.phaseReason()).startsWith("node ps-1 failed, and all 1 restarts");
  }

  @Test
  void theyAreToldToGoWhenTheWorkersAreDone() {
    NodeLife life = job(role("ps", 1), role("evaluator", 1));
    life.runs(0);
    life.ends(0, 0);

    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPING);
    assertThat(life.table.desired().nodes()).hasSize(2).allMatch(DesiredNode::leaving);
    ends(life, ps(0), 143);
    ends(life, new NodeId("evaluator", 0), 143);
    assertThat(life.table.phase()).isEqualTo(JobPhase.SUCCEEDED);
  }

  @Test
  void aChiefTrainsAndIsWaitedFor() {
    NodeLife life = job(role("chief", 1));
    life.runs(0);
    life.ends(0, 0);
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);

    ends(life, new NodeId("chief", 0), 0);

    assertThat(life.table.phase()).isEqualTo(JobPhase.SUCCEEDED);
  }

  @Test
  void oneThatSucceedsEndsNoGroupAndKeepsItsPlace() {
    NodeLife life =
        NodeLife.of(
            NodeLife.with(
                NodeLife.plan(Strategy.ALLREDUCE, 1, 1, 4, NodeResources.UNBOUNDED),
                role("evaluator", 1)));
    life.runs(0);
    life.hears(new NodeNews.Ended(new NodeId("evaluator", 0), 0, false, ExitReason.SUCCEEDED, ""));

    assertThat(life.table.finishingMillis()).isZero();
    assertThat(life.staying()).containsExactly("worker-0");
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
  }

  @Test
  void oneThatThePlanNoLongerHasGoes() {
    NodeLife life = job(role("ps", 1));
    life.runs(0);

    life.apply(
        JobOrders.define(
            life.table, NodeLife.plan(Strategy.LOCAL, 1, 1, 4, NodeResources.UNBOUNDED)));

    assertThat(life.staying()).containsExactly("worker-0");
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.SHRINK);
  }

  @Test
  void numbersThatWereGivenBeforeTheJournalWasLostAreNotGivenAgain() {
    NodeLife life = new NodeLife();
    life.apply(JobOrders.reserve(life.table, "worker", 5));
    life.apply(
        JobOrders.define(
            life.table, NodeLife.plan(Strategy.LOCAL, 1, 1, 4, NodeResources.UNBOUNDED)));

    assertThat(life.staying()).containsExactly("worker-5");
    assertThat(JobOrders.reserve(life.table, "worker", 3)).isEmpty();
  }

  @Test
  void whatANodeWaitsForIsSaidOfTheJob() {
    NodeLife life = job(role("ps", 1));
    life.hears(new NodeNews.Pending(ps(0), "ImagePullBackOff: no such image"));

    assertThat(life.table.desired().job().message())
        .isEqualTo("ps-0 does not start: ImagePullBackOff: no such image");
    assertThat(Objects.requireNonNull(life.table.node(ps(0))).phase()).isEqualTo(NodePhase.PENDING);
  }
}
