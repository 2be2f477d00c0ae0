package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkerManagerTest {
  private static NodeLife local(int wish, int max) {
    return NodeLife.of(NodeLife.plan(Strategy.LOCAL, wish, 1, max, NodeResources.UNBOUNDED));
  }

  // Size.

  @Test
  void startsAsManyAsAreWished() {
    NodeLife life = NodeLife.group(2, 1, 4);

    assertThat(life.staying()).containsExactly("worker-0", "worker-1");
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.GROW);
    assertThat(life.table.phase()).isEqualTo(JobPhase.PENDING);
    life.runs(1);
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
  }

  @Test
  void theYoungestGoFirstAndTheOldestNever() {
    NodeLife life = NodeLife.group(4, 1, 4);
    life.runs(0, 1, 2, 3);
    life.ends(1, 137); // worker-4 takes its place, and is the youngest.

    life.scale(3);
    assertThat(life.staying()).containsExactly("worker-0", "worker-2", "worker-3");
    life.scale(1);
    assertThat(life.staying()).containsExactly("worker-0");
    assertThat(life.node(3).released()).isTrue();
    assertThat(life.node(3).relaunchable()).isFalse();
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.SHRINK);
  }

  @Test
  void whoIsNotThereYetGoesBeforeAnybodyWhoIs() {
    NodeLife life = NodeLife.group(3, 1, 4);
    life.runs(0, 1, 2);
    life.ends(0, 137);
    life.runs(3);
    life.ends(3, 137); // The second in a row: its place is empty for a second.
    assertThat(life.table.relaunches()).hasSize(1);

    life.scale(2);

    assertThat(life.table.relaunches()).isEmpty();
    assertThat(life.staying()).containsExactly("worker-1", "worker-2");
    life.pass(5_000);
    assertThat(life.staying()).containsExactly("worker-1", "worker-2");
  }

  @Test
  void whereRanksCountTheHighestGoesFirstHoweverYoungTheFirstIs() {
    NodeLife life = local(3, 3);
    life.runs(0, 1, 2);
    life.ends(0, 137); // worker-3 takes the first place.
    life.runs(3);

    life.scale(2);
    assertThat(life.staying()).containsExactly("worker-1", "worker-3");
    life.ends(3, 137); // The second in a row: its place is empty for a second.
    life.scale(1);
    assertThat(life.staying()).as("the first place is to be filled").isEmpty();
    life.pass(1_000);
    assertThat(life.staying()).containsExactly("worker-4");
    assertThat(life.node(4).rank()).isZero();
  }

  @Test
  void whoIsTheLastToWorkFinishesThoughTheOthersHaveTakenAllPlaces() {
    NodeLife life = local(3, 3);
    life.runs(0, 1, 2);
    life.ends(0, 0);
    life.ends(1, 0);

    life.scale(2);

    assertThat(life.staying()).containsExactly("worker-2");
    life.ends(2, 0);
    assertThat(life.table.phase()).isEqualTo(JobPhase.SUCCEEDED);
  }

  @Test
  void aWishIsClampedAndSaysWhy() {
    NodeLife life = NodeLife.group(2, 2, 4);

    JobOrders.Scaling tooMany = JobOrders.scale(life.table, 9, "me");
    JobOrders.Scaling tooFew = JobOrders.scale(life.table, 1, "me");

    assertThat(tooMany.wish()).isEqualTo(4);
    assertThat(tooMany.message()).contains("4 are the most");
    assertThat(tooMany.decisions())
        .singleElement()
        .satisfies(decision ->
            assertThat(Objects.requireNonNull(decision.choice()).alternatives().list())
                .isNotEmpty());
    assertThat(tooFew.wish()).isEqualTo(2);
    assertThat(tooFew.message()).contains("2 are the fewest");
    assertThat(tooFew.decisions()).isEmpty();
  }

  @Test
  void aNodeThatGoesAsToldIsDeletedAndNotReplaced() {
    NodeLife life = NodeLife.group(2, 1, 4);
    life.runs(0, 1);
    life.scale(1);

    life.ends(1, 1);

    assertThat(life.node(1).phase()).isEqualTo(NodePhase.DELETED);
    assertThat(life.staying()).containsExactly("worker-0");
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
  }

  // Replacement.

  @Test
  void aKilledNodeIsReplacedAtOnceByANewNumber() {
    NodeLife life = NodeLife.group(1, 1, 1);
    life.runs(0);

    life.ends(0, 137);

    assertThat(life.staying()).containsExactly("worker-1");
    assertThat(life.node(1).replaces()).isEqualTo(NodeLife.worker(0));
    assertThat(life.node(1).restarts()).isZero();
    assertThat(life.decisions)
        .extracting(decision -> decision.rule())
        .containsExactly(
            Rule.GROW, Rule.FIRST_NODE_RUNS, Rule.GONE_FROM_OUTSIDE, Rule.REPLACEMENT_DUE);
    assertThat(life.table.relaunches()).isEmpty();
  }

  @Test
  void aStreakOfKillsIsWaitedOutByTheClock() {
    NodeLife life = NodeLife.group(1, 1, 1);
    life.runs(0);
    life.ends(0, 137);
    life.runs(1);
    life.ends(1, 137);

    assertThat(life.staying()).isEmpty();
    assertThat(WorkerManager.nextDeadlineMillis(life.table)).isEqualTo(life.now + 1_000);
    life.pass(999);
    assertThat(life.staying()).isEmpty();
    life.pass(1);
    assertThat(life.staying()).containsExactly("worker-2");
  }

  @Test
  void aHundredKillsInAnHourFailTheJobAndFewerDoNot() {
    NodeLife life = NodeLife.group(1, 1, 1);
    int number = 0;
    for (int kill = 0; kill < 99; kill++) {
      life.runs(number);
      life.pass(20_000);
      life.ends(number++, 137);
    }
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);

    life.runs(number);
    life.pass(20_000);
    life.ends(number, 137);

    assertThat(life.table.phase()).isEqualTo(JobPhase.FAILED);
    assertThat(life.table.phaseReason()).contains("100 nodes went within an hour");
  }

  @Test
  void killsOfAnHourAgoAreForgotten() {
    NodeLife life = NodeLife.group(1, 1, 1);
    int number = 0;
    for (int kill = 0; kill < 150; kill++) {
      life.runs(number);
      life.pass(60_000);
      life.ends(number++, 137);
    }
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    assertThat(life.table.image().outsideEnds()).hasSizeLessThanOrEqualTo(61);
  }

  @Test
  void aProgramThatAlwaysFailsFailsTheJobWithItsCause() {
    NodeLife life = NodeLife.group(1, 1, 1);
    for (int number = 0; number < 4; number++) {
      life.runs(number);
      life.ends(number, 1);
    }

    assertThat(life.table.phase()).isEqualTo(JobPhase.FAILED);
    assertThat(life.table.phaseReason()).contains("all 3 restarts").contains("code 1");
    assertThat(life.table.nodes()).hasSize(4);
  }

  @Test
  void restartsAreCountedByLineNotByJob() {
    NodeLife life = NodeLife.group(3, 1, 3);
    life.runs(0, 1, 2);
    life.ends(0, 1);
    life.ends(1, 1);
    life.ends(2, 1);

    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    assertThat(life.staying()).containsExactly("worker-3", "worker-4", "worker-5");
    assertThat(List.of(life.node(3).restarts(), life.node(5).restarts())).containsExactly(1, 1);
  }

  @Test
  void outOfMemoryIsReplacedByMoreAndNewOnesGetItToo() {
    NodeLife life =
        NodeLife.of(NodeLife.plan(Strategy.ALLREDUCE, 1, 1, 4, new NodeResources(2, 1_000, 0)));
    life.runs(0);

    life.runsOutOfMemory(0);
    life.scale(2);

    assertThat(life.node(0).reason()).isEqualTo(ExitReason.OOM);
    assertThat(life.node(1).resources()).isEqualTo(new NodeResources(2, 2_000, 0));
    assertThat(life.node(2).resources()).isEqualTo(new NodeResources(2, 2_000, 0));
  }

  @Test
  void onlyWhatANodeNeededIsGivenToLaterOnes() {
    NodeResources small = new NodeResources(2, 1_000, 0);
    NodeLife life = NodeLife.of(NodeLife.plan(Strategy.ALLREDUCE, 1, 1, 4, small));
    life.runs(0);
    life.wish(
        new Wish(
            "w",
            1,
            "a test",
            List.of(),
            List.of(),
            List.of(),
            List.of(
                new Wish.Replacement(
                    NodeLife.worker(0), new ResourceChange(null, 32_000L, null, null)))));
    life.runs(1);
    life.ends(1, 137);

    life.scale(2);

    assertThat(life.node(2).resources()).as("its line is").isEqualTo(small.withMemoryMib(32_000));
    assertThat(life.node(3).resources()).as("others are not").isEqualTo(small);
  }

  @Test
  void whatNewOnesGetIsWhatWasSaidLast() {
    NodeResources small = new NodeResources(2, 1_000, 0);
    NodeLife life = NodeLife.of(NodeLife.plan(Strategy.ALLREDUCE, 1, 1, 5, small));
    life.runs(0);
    life.runsOutOfMemory(0);
    ResourceChange less = new ResourceChange(null, 500L, null, null);

    Wish.Taken taken =
        life.wish(
            new Wish(
                "w",
                1,
                "a test",
                List.of(new Wish.RoleWish("worker", 2, less)),
                List.of(),
                List.of(),
                List.of()));

    assertThat(taken.message())
        .contains("worker nodes that are made from now on get 2.0 cores, 500");
    assertThat(life.node(2).resources()).isEqualTo(small.withMemoryMib(500));
    life.apply(
        JobOrders.define(
            life.table, NodeLife.plan(Strategy.ALLREDUCE, 3, 1, 5, small.withMemoryMib(700))));
    assertThat(life.node(3).resources()).isEqualTo(small.withMemoryMib(700));
    life.runs(3);
    life.runsOutOfMemory(3);
    life.scale(4);
    assertThat(life.node(5).resources()).isEqualTo(small.withMemoryMib(1_400));
  }

  @Test
  void aSilentNodeIsReplacedAndNoLongerWanted() {
    NodeLife life = NodeLife.group(1, 1, 1);
    life.runs(0);

    life.apply(NodeObserver.lose(life.table, NodeLife.worker(0), "silent"));

    assertThat(life.node(0).reason()).isEqualTo(ExitReason.NO_HEARTBEAT);
    assertThat(life.table.desired().nodes())
        .extracting(DesiredNode::id)
        .containsExactly(NodeLife.worker(1));
    life.ends(0, 137); // Its end is old news.
    assertThat(life.staying()).containsExactly("worker-1");
  }

  @Test
  void aNodeThatRanAndIsNotListedIsGone() {
    NodeLife life = NodeLife.group(2, 1, 2);
    life.runs(0);

    life.apply(NodeObserver.list(life.table, List.of()));

    assertThat(life.node(0).reason()).isEqualTo(ExitReason.KILLED);
    assertThat(life.node(1).phase()).as("never started").isEqualTo(NodePhase.INITIAL);
    assertThat(life.staying()).containsExactly("worker-1", "worker-2");
  }

  // Pending.

  @Test
  void aNodeThatFindsNoRoomIsMadeSmaller() {
    NodeLife life =
        NodeLife.of(NodeLife.plan(Strategy.ALLREDUCE, 1, 1, 1, new NodeResources(16, 8_192, 0)));
    life.lacksRoom(0);

    life.pass(899_999);
    assertThat(life.staying()).containsExactly("worker-0");
    life.pass(1);

    assertThat(life.staying()).containsExactly("worker-1");
    assertThat(life.node(0).released()).isTrue();
    assertThat(life.node(1).resources()).isEqualTo(new NodeResources(8, 8_192, 0));
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.PENDING_TOO_LONG);
    life.lacksRoom(1);
    life.pass(900_000);
    assertThat(life.staying()).as("4 cores are few enough").containsExactly("worker-1");
    assertThat(life.node(1).waitsOn()).isTrue();
  }

  @Test
  void aNodeWithGpusIsNeverMadeSmaller() {
    NodeLife life =
        NodeLife.of(NodeLife.plan(Strategy.ALLREDUCE, 1, 1, 1, new NodeResources(16, 32_768, 1)));
    life.lacksRoom(0);

    life.pass(900_000);

    assertThat(life.staying()).containsExactly("worker-0");
    assertThat(life.lastDecision().alternatives().list().getFirst().why())
        .isEqualTo(Objection.HAS_GPUS);
    int decisions = life.decisions.size();
    life.pass(900_000);
    assertThat(life.decisions).as("said once").hasSize(decisions);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "ImagePullBackOff: no such image", "its pod cannot be made: Forbidden"})
  void aNodeThatWaitsForSomethingElseIsWaitedFor(String why) {
    NodeLife life =
        NodeLife.of(NodeLife.plan(Strategy.ALLREDUCE, 1, 1, 1, new NodeResources(16, 32_768, 0)));
    if (!why.isEmpty()) { // Else nobody made it, and nobody said anything.
      life.hears(new NodeNews.Pending(NodeLife.worker(0), why));
    }

    life.pass(900_000);

    assertThat(life.staying()).containsExactly("worker-0");
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.PENDING_TOO_LONG);
    assertThat(life.lastDecision().alternatives().list().getFirst().why())
        .isEqualTo(Objection.NO_LACK_OF_ROOM);
    life.lacksRoom(0);
    assertThat(life.staying()).as("now a smaller one may help").containsExactly("worker-1");
    assertThat(life.node(1).resources()).isEqualTo(new NodeResources(8, 16_384, 0));
  }

  // The end.

  @Test
  void aGroupHasSucceededWhenOneHasAndTheOthersAreGone() {
    NodeLife life = NodeLife.group(3, 1, 3);
    life.runs(0, 1, 2);

    life.ends(0, 0);
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    assertThat(life.staying()).as("nobody takes its place").hasSize(2);
    life.ends(1, 1);
    assertThat(life.staying()).as("the training is done").containsExactly("worker-2");
    life.pass(59_999);
    assertThat(life.node(2).released()).isFalse();
    life.pass(1);
    assertThat(life.node(2).released()).isTrue();
    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPING);
    life.ends(2, 137);

    assertThat(life.table.phase()).isEqualTo(JobPhase.SUCCEEDED);
  }

  @Test
  void aNodeThatWasDrainedHasNotSucceeded() {
    NodeLife life = NodeLife.group(2, 1, 2);
    life.runs(0, 1);

    life.apply(
        NodeObserver.observe(
            life.table,
            new NodeNews.Ended(NodeLife.worker(1), 0, false, ExitReason.KILLED, "drained")));

    assertThat(life.table.finishingMillis()).isZero();
    assertThat(life.staying()).containsExactly("worker-0", "worker-2");
  }

  @Test
  void workersThatAreNoGroupSucceedWhenAllHave() {
    NodeLife life = local(2, 2);
    life.runs(0, 1);

    life.ends(0, 0);
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    life.ends(1, 137);
    assertThat(life.staying()).containsExactly("worker-2");
    life.ends(2, 0);

    assertThat(life.table.phase()).isEqualTo(JobPhase.SUCCEEDED);
    assertThat(life.table.nodes()).hasSize(3);
  }

  @Test
  void aLoneProgramThatFailsFailsTheJobAndEndsTheOthers() {
    NodeLife life = local(2, 2);
    life.runs(0, 1);

    life.ends(0, 1);
    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPING);
    assertThat(life.node(1).released()).isTrue();
    life.ends(1, 143);

    assertThat(life.table.phase()).isEqualTo(JobPhase.FAILED);
    assertThat(life.table.phaseReason()).contains("worker-0 failed").contains("code 1");
  }

  @Test
  void aStoppedJobRelaunchesNothing() {
    NodeLife life = NodeLife.group(2, 1, 4);
    life.runs(0, 1);
    life.apply(JobOrders.stop(life.table, "me"));

    life.ends(0, 137);
    life.ends(1, 1);

    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPED);
    assertThat(life.table.phaseReason()).isEqualTo("it was stopped by me");
    assertThat(life.table.nodes()).hasSize(2);
    assertThatThrownBy(() -> life.scale(3))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.JOB_OVER));
    assertThat(JobOrders.stop(life.table, "me")).isEmpty();
  }

  // Plans.

  @Test
  void theSamePlanAgainChangesNothing() {
    NodeLife life = NodeLife.group(2, 1, 4);
    int events = life.events.size();

    life.apply(JobOrders.define(life.table, life.table.plan()));

    assertThat(life.events).hasSize(events);
  }

  @Test
  void anotherPlanOfTheSameRunHoldsFromNowOn() {
    NodeLife life = NodeLife.group(3, 1, 4);
    life.runs(0, 1, 2);

    life.apply(
        JobOrders.define(
            life.table, NodeLife.plan(Strategy.ALLREDUCE, 2, 1, 2, NodeResources.UNBOUNDED)));

    assertThat(life.decisions).anyMatch(d -> d.rule().equals(Rule.PLAN_CHANGED));
    assertThat(life.staying()).containsExactly("worker-0", "worker-1");
  }

  @Test
  void aJobThatIsOverStaysOverUntilItIsRunAgain() {
    NodeLife life = local(1, 1);
    life.runs(0);
    life.ends(0, 1);
    assertThat(life.table.phase()).isEqualTo(JobPhase.FAILED);

    NodeResources any = NodeResources.UNBOUNDED;
    life.apply(JobOrders.define(life.table, NodeLife.plan(2, Strategy.LOCAL, 1, 1, 1, 9, any)));
    assertThat(life.table.phase()).as("the same run").isEqualTo(JobPhase.FAILED);
    life.apply(JobOrders.define(life.table, NodeLife.plan(3, Strategy.LOCAL, 1, 1, 1, 9, any)));

    assertThat(life.table.phase()).isEqualTo(JobPhase.PENDING);
    assertThat(life.staying()).as("numbers only grow").containsExactly("worker-1");
  }

  /// Masters on clusters once said 1 of every run.
  @Test
  void oneWhoseRunNobodyToldIsRunAgainOnlyByOneThatBeganAfterIt() {
    NodeResources any = NodeResources.UNBOUNDED;
    NodeLife life = NodeLife.of(NodeLife.plan(1, Strategy.LOCAL, 1, 1, 1, 9, any));
    long before = life.now - 5_000;
    life.runs(0);
    life.ends(0, 1);

    life.apply(
        JobOrders.define(life.table, NodeLife.plan(before, Strategy.LOCAL, 1, 1, 1, 9, any)));
    assertThat(life.table.phase()).as("it is that run").isEqualTo(JobPhase.FAILED);

    NodeLife older = NodeLife.of(NodeLife.plan(1, Strategy.LOCAL, 1, 1, 1, 9, any));
    older.runs(0);
    older.ends(0, 1);
    older.apply(
        JobOrders.define(
            older.table, NodeLife.plan(older.now + 1, Strategy.LOCAL, 1, 1, 1, 9, any)));
    assertThat(older.table.phase()).isEqualTo(JobPhase.PENDING);
  }

  @Test
  void aRunThatGoesOnIsNotBegunAnewByANewerOne() {
    NodeResources any = NodeResources.UNBOUNDED;
    NodeLife life = NodeLife.of(NodeLife.plan(1, Strategy.LOCAL, 1, 1, 1, 9, any));
    life.runs(0);

    life.apply(
        JobOrders.define(life.table, NodeLife.plan(life.now + 1, Strategy.LOCAL, 1, 1, 1, 9, any)));

    assertThat(life.staying()).containsExactly("worker-0");
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
  }

  @Test
  void aJobWithoutAPlanHasNoNodes() {
    NodeTable table = new NodeTable();

    assertThat(table.desired().defined()).isFalse();
    assertThat(WorkerManager.next(table, 0)).isEmpty();
    assertThatThrownBy(() -> JobOrders.stop(table, "me"))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.NO_NODES));
  }

  @Test
  void whatIsRememberedIsBounded() {
    NodeLife life = NodeLife.group(1, 1, 1);
    for (int number = 0; number < NodeTable.REMEMBERED + 50; number++) {
      life.runs(number);
      life.pass(60_000);
      life.ends(number, 137);
    }

    assertThat(life.table.nodes()).hasSizeLessThanOrEqualTo(NodeTable.REMEMBERED + 2);
    assertThat(life.staying()).hasSize(1);
  }
}
