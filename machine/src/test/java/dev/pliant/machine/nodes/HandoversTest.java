package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// A node that is to be of another size stays until the one that relieves it runs.
class HandoversTest {
  private static final NodeResources SMALL = new NodeResources(1, 512, 0);
  private static final NodeId OLD = new NodeId("ps", 0);
  private static final NodeId NEW = new NodeId("ps", 1);

  private NodeLife life = job(ResourceLimits.NONE);

  /// A worker and a server, which run.
  private static NodeLife job(ResourceLimits limits) {
    NodeLife life =
        NodeLife.of(
            NodeLife.within(
                limits,
                NodeLife.with(
                    NodeLife.plan(Strategy.LOCAL, 1, 1, 4, SMALL),
                    new JobPlan.RolePlan("ps", 1, 0, 3, 3, 60_000, SMALL))));
    life.runs(0);
    life.hears(new NodeNews.Running(OLD));
    return life;
  }

  @BeforeEach
  void asksForALargerOne() {
    assertThat(wish(1, 1_024, OLD).message()).endsWith("ps-0 stays until ps-1 runs");
  }

  private Wish.Taken wish(long generation, long memoryMib, NodeId node) {
    ResourceChange size = new ResourceChange(null, memoryMib, null, null);
    return life.wish(
        new Wish(
            "w",
            generation,
            "a test",
            List.of(),
            List.of(),
            List.of(),
            List.of(new Wish.Replacement(node, size))));
  }

  private Wish.Taken remove(NodeId node) {
    return life.wish(new Wish("away", 1, "a test", List.of(), List.of(), List.of(node), List.of()));
  }

  private Node node(NodeId id) {
    return Objects.requireNonNull(life.table.node(id));
  }

  private void ends(NodeId node, int code) {
    life.hears(new NodeNews.Ended(node, code, false, null, "code " + code));
  }

  @Test
  void bothHaveOnePlaceAndTheOneBeforeGoesWhenTheOtherRuns() {
    assertThat(life.staying()).containsExactly("ps-0", "worker-0", "ps-1");
    assertThat(life.table.placesTaken("ps")).isEqualTo(1);
    assertThat(node(NEW).rank()).isZero();

    life.hears(new NodeNews.Running(NEW));

    assertThat(life.staying()).containsExactly("worker-0", "ps-1");
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.SUCCESSOR_RUNS);
    ends(OLD, 143);
    assertThat(node(OLD).phase()).isEqualTo(NodePhase.DELETED);
    assertThat(life.staying()).containsExactly("worker-0", "ps-1");
  }

  @Test
  void oneThatNeverRunsIsWaitedForAndTheOneBeforeStays() {
    life.hears(new NodeNews.Pending(NEW, "Unschedulable: Insufficient memory", true));

    life.pass(10_000_000);

    assertThat(life.staying()).containsExactly("ps-0", "worker-0", "ps-1");
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.PENDING_TOO_LONG);
    assertThat(life.lastDecision().plan()).isEqualTo(new Plan.KeepNode(OLD));
    assertThat(life.table.phase()).as("no restart that is late").isEqualTo(JobPhase.RUNNING);
  }

  @Test
  void anotherSizeCanBeAskedForMeanwhile() {
    Wish.Taken again = wish(2, 1_024, OLD);
    assertThat(again.message())
        .isEqualTo("all is so already; ps-1 is to take the place of ps-0 with that already");

    Wish.Taken other = wish(3, 768, OLD);
    assertThat(other.message())
        .isEqualTo(
            "ps-2 takes the place of ps-0, with 1.0 cores, 768 MiB; ps-0 stays until ps-2 runs");
    assertThat(life.staying()).containsExactly("ps-0", "worker-0", "ps-2");

    wish(4, 640, new NodeId("ps", 2));
    assertThat(life.staying()).containsExactly("ps-0", "worker-0", "ps-3");
    life.hears(new NodeNews.Running(new NodeId("ps", 3)));
    assertThat(life.staying()).containsExactly("worker-0", "ps-3");
  }

  @Test
  void oneThatFailsLeavesThePlaceToTheOneBefore() {
    ends(NEW, 1);

    assertThat(life.staying()).containsExactly("ps-0", "worker-0");
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.SUCCESSOR_ENDED);
    life.pass(10_000_000);
    assertThat(life.staying()).containsExactly("ps-0", "worker-0");
  }

  @Test
  void oneWhoseOneBeforeFailsHasItsPlace() {
    life.hears(new NodeNews.Pending(NEW, "Unschedulable: Insufficient memory", true));
    life.pass(900_000);

    ends(OLD, 1);

    assertThat(life.staying()).containsExactly("worker-0", "ps-1");
    assertThat(life.decisions)
        .extracting(decision -> decision.rule())
        .contains(Rule.ENDED_BEFORE_SUCCESSOR_RAN);
    assertThat(node(NEW).waitsOn()).as("nobody stays in its stead").isTrue();
    assertThat(life.lastDecision().alternatives().list().getFirst().why())
        .isEqualTo(Objection.AT_SMALLEST_SIZE);
  }

  @Test
  void oneWhoseOneBeforeHasSucceededIsNotNeeded() {
    life.hears(new NodeNews.Ended(OLD, 0, false, ExitReason.SUCCEEDED, ""));

    assertThat(life.staying()).containsExactly("worker-0");
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.SUCCEEDED_BEFORE_SUCCESSOR_RAN);
  }

  @Test
  void bothGoWhereTheirPlaceDoes() {
    assertThat(remove(NEW).message()).isEqualTo("ps-1 is told to go; ps: from 1 to 0 nodes");

    assertThat(life.staying()).containsExactly("worker-0");
  }

  @Test
  void bothGoWhereTheRoleShrinks() {
    life.wish(
        new Wish(
            "none",
            1,
            "a test",
            List.of(new Wish.RoleWish("ps", 0, ResourceChange.NONE)),
            List.of(),
            List.of(),
            List.of()));

    assertThat(life.staying()).containsExactly("worker-0");
  }

  @Test
  void onePlaceIsFilledAgainAfterARest() {
    life.rest();
    ends(OLD, 143);
    life.goOn();

    assertThat(life.staying()).containsExactlyInAnyOrder("worker-1", "ps-2");
    assertThat(node(new NodeId("ps", 2)).resources().memoryMib()).isEqualTo(1_024);
  }

  @Test
  void onePlaceIsFilledAgainAfterARestThatNobodySaw() {
    life.apply(RestOrders.rest(life.table, new Rest(false, life.now + 1)));
    ends(NEW, 137);
    assertThat(life.staying()).containsExactly("ps-0", "worker-0");
    ends(OLD, 137);

    assertThat(life.staying()).containsExactly("worker-0", "ps-2");
  }

  @Test
  void theOneBeforeGoesAtOnceWhereTheLimitsHaveNoRoomForBoth() {
    life = job(new ResourceLimits(null, 1_800L, null, null));

    Wish.Taken taken = wish(1, 1_024, OLD);

    assertThat(taken.done()).isTrue();
    assertThat(taken.message())
        .endsWith(
            "ps-0 goes at once, for the job's limits (spec.resourceLimits) have no room for both");
    assertThat(life.staying()).containsExactly("worker-0", "ps-1");
  }

  @Test
  void whoDoesNotRunIsNotKept() {
    wish(2, 4_096, new NodeId("worker", 0));
    wish(3, 2_048, new NodeId("worker", 0));
    life.ends(0, 137);

    wish(4, 1_024, new NodeId("worker", 2));

    assertThat(life.staying()).containsExactly("ps-0", "ps-1", "worker-3");
  }

  @Test
  void aNewMasterGoesOnWithIt() {
    life.table = NodeTable.of(life.table.image());
    assertThat(life.table.placesTaken("ps")).isEqualTo(1);

    life.hears(new NodeNews.Running(NEW));

    assertThat(life.staying()).containsExactly("worker-0", "ps-1");
  }

  /// Two servers that run; the first is to be larger.
  private static NodeLife twoServers() {
    NodeLife life =
        NodeLife.of(
            NodeLife.with(
                NodeLife.plan(Strategy.LOCAL, 1, 1, 4, SMALL),
                new JobPlan.RolePlan("ps", 2, 0, 3, 3, SMALL)));
    life.runs(0);
    life.hears(new NodeNews.Running(OLD));
    life.hears(new NodeNews.Running(new NodeId("ps", 1)));
    return life;
  }

  @Test
  void onePlaceIsFilledAgainWhereBothOfItAreGoneAtOnce() {
    life = twoServers();
    wish(1, 1_024, OLD);

    life.apply(
        NodeObserver.list(
            life.table,
            List.of(
                new NodeNews.Running(NodeLife.worker(0)),
                new NodeNews.Running(new NodeId("ps", 1)),
                new NodeNews.Ended(OLD, 137, false, null, "gone"),
                new NodeNews.Ended(new NodeId("ps", 2), 137, false, null, "gone"))));

    assertThat(life.staying()).containsExactly("ps-1", "worker-0", "ps-3");
    assertThat(node(new NodeId("ps", 1)).rank()).isEqualTo(1);
    assertThat(node(new NodeId("ps", 3)).rank()).isZero();
    assertThat(node(new NodeId("ps", 3)).resources().memoryMib()).isEqualTo(1_024);
  }

  @Test
  void oneWhoseOneBeforeFailsIsARestartThatMayBeLate() {
    life.hears(new NodeNews.Pending(NEW, ""));
    life.pass(10_000_000);
    ends(OLD, 1);

    life.pass(59_999);
    assertThat(life.staying()).containsExactly("worker-0", "ps-1");
    life.pass(1);

    assertThat(life.staying()).containsExactly("worker-0", "ps-2");
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.RESTART_TOOK_TOO_LONG);
  }

  @Test
  void inAGroupTheOneThatHoldsTheStateStaysThoughAnotherIsToRelieveIt() {
    life = NodeLife.of(NodeLife.plan(Strategy.ALLREDUCE, 2, 1, 4, SMALL));
    life.runs(0);
    life.lacksRoom(1);
    wish(1, 1_024, NodeLife.worker(0));
    assertThat(life.staying()).containsExactly("worker-0", "worker-1", "worker-2");

    life.scale(1);

    assertThat(life.staying()).containsExactly("worker-0", "worker-2");
  }

  @Test
  void whatTakesAPlaceThatStaysCountsAgainstTheLimits() {
    NodeResources each = new NodeResources(1, 4_096, 0);
    life =
        NodeLife.of(
            NodeLife.within(
                new ResourceLimits(null, 13_312L, null, null),
                NodeLife.plan(Strategy.LOCAL, 3, 1, 3, each)));
    life.runs(0, 1, 2);

    Wish.Taken taken =
        life.wish(
            new Wish(
                "w",
                1,
                "a test",
                List.of(new Wish.RoleWish("worker", 2, ResourceChange.NONE)),
                List.of(),
                List.of(),
                List.of(
                    new Wish.Replacement(
                        NodeLife.worker(0), new ResourceChange(null, 10_240L, null, null)))));

    assertThat(taken.done()).isFalse();
    assertThat(taken.message()).contains("more than its limits");
  }
}
