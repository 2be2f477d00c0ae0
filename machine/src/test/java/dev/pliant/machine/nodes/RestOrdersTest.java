package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Rule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RestOrdersTest {
  private static NodeLife running(int wish) {
    NodeLife life = NodeLife.group(wish, 1, 4);
    for (int i = 0; i < wish; i++) {
      life.runs(i);
    }
    return life;
  }

  private static void isUncounted(NodeLife life) {
    assertThat(life.table.replacements()).isZero();
    assertThat(life.table.outsideEnds(life.now)).isZero();
    assertThat(life.table.nodes()).allMatch(node -> node.restarts() == 0 && node.streak() == 0);
  }

  @Test
  void everyNodeIsToldToGoAndNoneIsMade() {
    NodeLife life = running(2);

    life.rest();

    assertThat(life.table.phase()).isEqualTo(JobPhase.SUSPENDED);
    assertThat(life.table.desired().nodes()).hasSize(2).allMatch(DesiredNode::leaving);
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.SUSPENDED);
    life.ends(0, ExitReason.KILLED);
    life.ends(1, ExitReason.KILLED);
    life.pass(10_000_000);
    assertThat(life.table.desired().nodes()).isEmpty();
    assertThat(life.table.desired().job().phase()).isEqualTo(JobPhase.SUSPENDED);
    assertThat(life.table.desired().job().message()).isEqualTo("it is suspended");
    assertThat(WorkerManager.nextDeadlineMillis(life.table)).isEqualTo(Long.MAX_VALUE);
  }

  @ParameterizedTest
  @EnumSource(ExitReason.class)
  void howeverANodeEndsMeanwhileItIsNoFailure(ExitReason reason) {
    NodeLife life = running(2);
    life.rest();

    life.ends(0, reason);
    life.ends(1, reason);
    life.goOn();

    assertThat(life.node(0).phase()).isEqualTo(NodePhase.DELETED);
    assertThat(life.staying()).containsExactly("worker-2", "worker-3");
    assertThat(life.table.phase()).isEqualTo(JobPhase.PENDING);
    isUncounted(life);
  }

  @Test
  void aLineGoesOnAsItWas() {
    NodeLife life =
        NodeLife.of(NodeLife.plan(Strategy.ALLREDUCE, 2, 1, 4, new NodeResources(1, 512, 0)));
    life.runs(0, 1);
    life.runsOutOfMemory(0); // worker-2, with twice the memory.
    life.runs(2);
    life.ends(2, 1); // worker-3, after a restart.
    life.runs(3);
    int replacements = life.table.replacements();

    life.rest();
    life.goOn();

    assertThat(life.staying()).containsExactly("worker-4", "worker-5");
    assertThat(life.node(4).replaces()).isEqualTo(NodeLife.worker(1));
    assertThat(life.node(5).replaces()).isEqualTo(NodeLife.worker(3));
    assertThat(life.node(5).rank()).isZero();
    assertThat(life.node(5).restarts()).isEqualTo(1);
    assertThat(life.node(5).resources().memoryMib()).isEqualTo(1_024);
    assertThat(life.table.replacements()).isEqualTo(replacements);
  }

  @Test
  void whoWasToBeReplacedBeforeIsReplacedAfterAndCounts() {
    NodeLife life = running(1);
    life.ends(0, 137);
    life.runs(1);
    life.ends(1, 137); // The second in a row is waited for.
    assertThat(life.table.relaunches()).hasSize(1);

    life.rest();
    life.pass(60_000);
    assertThat(life.staying()).isEmpty();
    life.goOn();

    assertThat(life.staying()).containsExactly("worker-2");
    assertThat(life.table.replacements()).isEqualTo(2);
    assertThat(life.table.outsideEnds(life.now)).isEqualTo(2);
  }

  @Test
  void noNumberOfRestsFailsAJob() {
    NodeLife life = running(1);
    for (int rest = 0; rest < 300; rest++) {
      life.rest();
      life.ends(rest, ExitReason.KILLED);
      life.goOn();
      life.runs(rest + 1);
    }

    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    isUncounted(life);
  }

  @Test
  void aNodeThatIsStillGoingWhenTheJobGoesOnDoesNotStandInItsWay() {
    NodeLife life = running(1);
    life.rest();
    life.goOn();

    assertThat(life.staying()).containsExactly("worker-1");
    life.ends(0, 137);
    assertThat(life.node(0).phase()).isEqualTo(NodePhase.DELETED);
    assertThat(life.staying()).containsExactly("worker-1");
    isUncounted(life);
  }

  @Test
  void theJobMayBeResizedMeanwhile() {
    NodeLife life = running(3);
    life.rest();
    life.scale(2);
    life.goOn();
    assertThat(life.staying()).containsExactly("worker-3", "worker-4");
    assertThat(life.node(4).replaces()).isEqualTo(NodeLife.worker(1));

    life.rest();
    life.scale(4);
    assertThat(life.staying()).isEmpty();
    life.goOn();
    assertThat(life.staying()).hasSize(4);
    isUncounted(life);
  }

  @Test
  void aNodeIsNotAddedToAJobThatRests() {
    NodeLife life = running(1);
    life.rest();
    Wish.NewNode another = new Wish.NewNode("worker", ResourceChange.NONE);

    Wish.Taken taken =
        life.wish(new Wish("w", 1, "a test", List.of(), List.of(another), List.of(), List.of()));

    assertThat(taken.done()).isFalse();
    assertThat(taken.message()).isEqualTo("the job rests; a node can be added once it goes on.");
    assertThat(life.staying()).isEmpty();
  }

  @Test
  void aChangedPlanDoesNotWakeIt() {
    NodeLife life = running(1);
    life.rest();

    JobPlan other = NodeLife.plan(2, Strategy.ALLREDUCE, 3, 1, 4, 3, NodeResources.UNBOUNDED);
    life.apply(JobOrders.define(life.table, other));

    assertThat(life.table.phase()).isEqualTo(JobPhase.SUSPENDED);
    assertThat(life.staying()).isEmpty();
    life.goOn();
    assertThat(life.staying()).hasSize(3);
  }

  @Test
  void aJobThatRestsCanBeStopped() {
    NodeLife life = running(1);
    life.rest();
    life.apply(JobOrders.stop(life.table, "me"));
    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPING);

    life.goOn();
    life.ends(0, 143);

    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPED);
    life.rest();
    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPED);
  }

  @Test
  void aJobThatFinishesDoesSo() {
    NodeLife life = running(2);
    life.ends(0, 0);

    life.rest();

    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    life.ends(1, 143);
    assertThat(life.table.phase()).isEqualTo(JobPhase.SUCCEEDED);
  }

  @Test
  void whatIsSaidTwiceChangesNothing() {
    NodeLife life = running(1);
    life.goOn();
    assertThat(life.staying()).containsExactly("worker-0");
    life.rest();
    int events = life.events.size();

    life.rest();

    assertThat(life.events).hasSize(events);
  }

  // A rest that no master saw.

  @Test
  void nodesThatAreGoneAfterAMissedRestWentForIt() {
    NodeLife life = running(3);
    life.pass(60_000);

    life.apply(RestOrders.rest(life.table, new Rest(false, life.now)));
    assertThat(life.lastDecision().rule()).isEqualTo(Rule.SUSPENDED_WITHOUT_MASTER);
    life.pass(1_000);
    // One is not listed at all, one ended, one is well.
    life.apply(
        NodeObserver.list(
            life.table,
            List.of(
                new NodeNews.Ended(NodeLife.worker(1), 0, false, ExitReason.KILLED, "told to go"),
                new NodeNews.Running(NodeLife.worker(2)))));

    assertThat(life.node(0).phase()).isEqualTo(NodePhase.DELETED);
    assertThat(life.staying()).containsExactly("worker-2", "worker-3", "worker-4");
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    isUncounted(life);

    life.ends(2, ExitReason.KILLED); // It was still going when it was listed.
    isUncounted(life);
    assertThat(life.staying()).hasSize(3);
  }

  @Test
  void aNodeThatIsOnlySilentAfterAMissedRestWentForIt() {
    NodeLife life = running(2);
    life.pass(60_000);
    life.apply(RestOrders.rest(life.table, new Rest(false, life.now)));
    life.pass(1_000);

    life.apply(NodeObserver.lose(life.table, NodeLife.worker(0), "nothing was heard of it"));

    assertThat(life.staying()).containsExactly("worker-1", "worker-2");
    isUncounted(life);
  }

  @Test
  void otherEndsCountAsEver() {
    NodeLife life = running(2);
    life.pass(60_000);
    life.apply(RestOrders.rest(life.table, new Rest(false, life.now)));
    life.pass(1_000);

    life.ends(0, ExitReason.FATAL_ERROR);
    assertThat(life.node(2).restarts()).as("its program failed").isEqualTo(1);
    assertThat(life.table.replacements()).isEqualTo(1);

    life.runs(2);
    life.ends(2, ExitReason.KILLED);
    assertThat(life.table.outsideEnds(life.now)).as("it was made after the rest").isEqualTo(1);
    assertThat(life.table.replacements()).isEqualTo(2);
  }

  @Test
  void aRestOfLongAgoIsNoNews() {
    NodeLife life = running(1);
    int events = life.events.size();

    life.apply(RestOrders.rest(life.table, new Rest(false, life.now - 5_000)));

    assertThat(life.events).hasSize(events);
  }
}
