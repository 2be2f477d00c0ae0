package dev.pliant.agent.node;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.agent.node.NodeAction.Arrive;
import dev.pliant.agent.node.NodeAction.Drain;
import dev.pliant.agent.node.NodeAction.Exit;
import dev.pliant.agent.node.NodeAction.Kill;
import dev.pliant.agent.node.NodeAction.Leave;
import dev.pliant.agent.node.NodeAction.LeaveAll;
import dev.pliant.agent.node.NodeAction.Start;
import dev.pliant.agent.node.NodeAction.StartInWorld;
import dev.pliant.agent.node.NodeAction.Terminate;
import dev.pliant.agent.processes.ProcessEnd;
import dev.pliant.agent.world.Placement;
import dev.pliant.agent.world.Reforming;
import dev.pliant.agent.world.WorldAnswer;
import dev.pliant.agent.world.WorldView;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class NodeMachineTest {
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final long GRACE = 30;
  private static final long TERMINATE = 5;
  private static final long BLAME = 1;

  private static NodeMachine machine(Elasticity elasticity) {
    return new NodeMachine(
        new NodeMachine.Rules(
            elasticity,
            List.of(A, B),
            Duration.ofNanos(GRACE),
            Duration.ofNanos(TERMINATE),
            Duration.ofNanos(BLAME)));
  }

  private static ProcessEnd code(int code) {
    return new ProcessEnd(code, "");
  }

  private static WorldView in(long version, int reforming) {
    return new WorldView(
        Map.of(
            A, new WorldAnswer.Inside(new Placement(version, 0, 2, 0, 2, 0, 1, "h:1", 2)),
            B, new WorldAnswer.Inside(new Placement(version, 1, 2, 1, 2, 0, 1, "h:1", 2))),
        new Reforming(reforming, "why"));
  }

  private static WorldView all(WorldAnswer answer) {
    return new WorldView(Map.of(A, answer, B, answer), Reforming.NOT);
  }

  private static NodeEnd ended(List<NodeAction> actions) {
    assertThat(actions).hasAtLeastOneElementOfType(Exit.class);
    return ((Exit) actions.getLast()).end();
  }

  @Test
  void allSucceed() {
    NodeMachine node = machine(Elasticity.IN_PROCESS);
    assertThat(node.begin()).containsExactly(new Start(List.of(A, B)));
    assertThat(node.exited(A, code(0), 0))
        .containsExactly(new Leave(A, ExitReason.SUCCEEDED, "the process ended with exit code 0"));
    assertThat(node.cleared(A)).isEmpty();
    node.exited(B, code(0), 0);
    assertThat(ended(node.cleared(B))).isEqualTo(NodeEnd.succeeded());
  }

  @Test
  void theFirstFailureEndsTheNodeWithItsCode() {
    NodeMachine node = machine(Elasticity.IN_PROCESS);
    node.begin();
    List<NodeAction> actions = node.exited(A, code(3), 0);
    assertThat(actions.get(0))
        .isEqualTo(new Leave(A, ExitReason.UNKNOWN, "the process ended with exit code 3"));
    assertThat(actions.get(1)).isInstanceOf(LeaveAll.class);
    assertThat(actions.get(2))
        .isInstanceOfSatisfying(Terminate.class, t -> assertThat(t.workers()).contains(B));
    node.cleared(A);
    assertThat(node.tick(TERMINATE)).containsExactly(new Kill(List.of(B)));
    node.exited(B, code(137), 6);
    NodeEnd end = ended(node.cleared(B));
    assertThat(end.code()).isEqualTo(3);
    assertThat(end.worker()).contains(A);
  }

  @Test
  void aDrainLetsProcessesGoByThemselvesAndThenHastensThem() {
    NodeMachine node = machine(Elasticity.IN_PROCESS);
    node.begin();
    assertThat(node.drain(0)).containsExactly(new Drain());
    assertThat(node.tick(GRACE - 1)).isEmpty();
    node.exited(A, code(0), 3);
    node.cleared(A);
    assertThat(node.nextTime()).isEqualTo(GRACE);
    assertThat(node.tick(GRACE)).containsExactly(new Terminate(List.of(B)));
    assertThat(node.tick(GRACE + TERMINATE)).containsExactly(new Kill(List.of(B)));
    assertThat(node.exited(B, code(137), 40)).hasSize(1);
    assertThat(ended(node.cleared(B)).code()).isZero();
  }

  @Test
  void aSecondAndThirdWordHasten() {
    NodeMachine node = machine(Elasticity.IN_PROCESS);
    node.begin();
    node.drain(0);
    assertThat(node.drain(1)).containsExactly(new Terminate(List.of(A, B)));
    assertThat(node.drain(2)).containsExactly(new Kill(List.of(A, B)));
  }

  @Test
  void oneThatIsSentAwayHasNotFinishedTheTraining() {
    NodeMachine node = machine(Elasticity.IN_PROCESS);
    node.begin();
    node.drain(0);
    assertThat(node.exited(A, code(0), 0).getFirst())
        .isInstanceOfSatisfying(
            Leave.class, leave -> assertThat(leave.reason()).isEqualTo(ExitReason.KILLED));
  }

  @Test
  void processesWithoutAGroupAreAskedAtOnce() {
    NodeMachine node = machine(Elasticity.NONE);
    node.begin();
    assertThat(node.drain(0)).containsExactly(new Terminate(List.of(A, B)));
  }

  @Test
  void aNodeThatWasGivenUpEndsAtOnce() {
    NodeMachine node = machine(Elasticity.IN_PROCESS);
    node.begin();
    assertThat(node.givenUp(0)).contains(new Kill(List.of(A, B)));
    node.cleared(A);
    assertThat(ended(node.cleared(B)).code()).isEqualTo(143);
  }

  @Test
  void byRestartProcessesStartWithAWorldAndAgainWithTheNext() {
    NodeMachine node = machine(Elasticity.RESTART);
    assertThat(node.begin()).containsExactly(new Arrive(0));
    assertThat(node.viewed(all(new WorldAnswer.Wait()), 0)).isEmpty();
    assertThat(node.viewed(in(1, 0), 0)).hasOnlyElementsOfType(StartInWorld.class).hasSize(1);
    assertThat(node.viewed(in(1, 1), 0)).hasOnlyElementsOfType(Terminate.class);
    node.exited(A, code(143), 1);
    assertThat(node.cleared(A)).isEmpty();
    node.exited(B, code(1), 1);
    assertThat(node.cleared(B)).as("what it ends with is no matter").containsExactly(new Arrive(1));
    assertThat(node.viewed(in(1, 1), 2)).as("old news").isEmpty();
    assertThat(node.viewed(in(2, 0), 2)).hasSize(1);
  }

  @Test
  void byRestartAFailureIsAnothersWhereTheWorldIsToEnd() {
    NodeMachine node = machine(Elasticity.RESTART);
    node.begin();
    node.viewed(in(1, 0), 0);
    assertThat(node.exited(A, code(1), 0)).hasOnlyElementsOfType(Terminate.class);
    node.cleared(A);
    node.exited(B, code(143), 0);
    assertThat(node.cleared(B)).isEmpty();
    assertThat(node.viewed(in(1, 1), 0)).containsExactly(new Arrive(1));
  }

  @Test
  void byRestartAFailureIsItsOwnWhereNobodyElseIsToBlame() {
    NodeMachine node = machine(Elasticity.RESTART);
    node.begin();
    node.viewed(in(1, 0), 0);
    node.exited(A, code(1), 0);
    node.cleared(A);
    List<NodeAction> actions = node.tick(BLAME);
    assertThat(actions.getFirst())
        .isInstanceOfSatisfying(
            Leave.class, leave -> assertThat(leave.reason()).isEqualTo(ExitReason.FATAL_ERROR));
    assertThat(ended(node.cleared(B)).code()).isEqualTo(1);
  }

  @Test
  void byRestartAKilledProcessIsItsOwnEnd() {
    NodeMachine node = machine(Elasticity.RESTART);
    node.begin();
    node.viewed(in(1, 0), 0);
    assertThat(node.exited(A, code(137), 0).getFirst()).isInstanceOf(Leave.class);
  }

  @Test
  void byRestartTheEndOfWorldsIsTheEndOfTheNode() {
    NodeMachine complete = machine(Elasticity.RESTART);
    complete.begin();
    assertThat(ended(complete.viewed(all(new WorldAnswer.Closed(true, "")), 0)).code()).isZero();
    NodeMachine failed = machine(Elasticity.RESTART);
    failed.begin();
    assertThat(ended(failed.viewed(all(new WorldAnswer.Closed(false, "why")), 0)).code())
        .isEqualTo(143);
    NodeMachine released = machine(Elasticity.RESTART);
    released.begin();
    assertThat(ended(released.viewed(all(new WorldAnswer.Released("why")), 0)).code()).isZero();
    NodeMachine excluded = machine(Elasticity.RESTART);
    excluded.begin();
    assertThat(excluded.viewed(all(new WorldAnswer.Excluded("why")), 0))
        .containsExactly(new Arrive(0));
  }

  @Test
  void everyOrderOfWordsEndsTheNodeOnce() {
    long seed = System.nanoTime();
    System.out.println("seed " + seed);
    SplittableRandom chance = new SplittableRandom(seed);
    for (int run = 0; run < 5_000; run++) {
      NodeMachine node = machine(Elasticity.values()[chance.nextInt(3)]);
      World world = new World();
      world.take(node.begin());
      long now = 0;
      for (int i = 0; i < 60; i++) {
        now += chance.nextInt(4);
        world.take(word(node, world, chance, now));
        world.take(node.tick(now));
      }
      world.take(node.givenUp(now));
      for (WorkerId worker : List.copyOf(world.live)) {
        world.live.remove(worker);
        world.take(node.exited(worker, code(137), now));
        world.take(node.cleared(worker));
      }
      assertThat(world.exits).isEqualTo(1);
    }
  }

  private static List<NodeAction> word(
      NodeMachine node, World world, SplittableRandom chance, long now) {
    WorkerId worker = chance.nextBoolean() ? A : B;
    return switch (chance.nextInt(12)) {
      case 0, 1, 2 -> {
        if (!world.live.remove(worker)) {
          yield List.of();
        }
        List<NodeAction> actions =
            new ArrayList<>(
                node.exited(worker, code(List.of(0, 1, 137, 143).get(chance.nextInt(4))), now));
        actions.addAll(node.cleared(worker));
        yield actions;
      }
      case 3 -> chance.nextInt(5) == 0 ? node.drain(now) : List.of();
      case 4 -> node.viewed(all(new WorldAnswer.Excluded("why")), now);
      case 5 ->
          chance.nextInt(9) == 0 ? node.viewed(all(new WorldAnswer.Released("w")), now) : List.of();
      case 6 -> node.viewed(all(new WorldAnswer.Wait()), now);
      default -> node.viewed(in(1 + chance.nextInt(9), chance.nextInt(3)), now);
    };
  }

  /// What runs, as the machine has it.
  private static final class World {
    final Set<WorkerId> live = new LinkedHashSet<>();
    int exits;

    void take(List<NodeAction> actions) {
      for (NodeAction action : actions) {
        assertThat(exits).as("after the end nothing is done").isZero();
        switch (action) {
          case Start(var workers) -> live.addAll(workers);
          case StartInWorld(var placements) -> {
            assertThat(live).as("those before are gone").isEmpty();
            live.addAll(placements.keySet());
          }
          case Exit _ -> {
            assertThat(live).isEmpty();
            exits++;
          }
          case Terminate _, Kill _, Arrive _, Leave _, Drain _, LeaveAll _ -> {}
        }
      }
    }
  }
}
