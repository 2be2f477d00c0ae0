package dev.pliant.machine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.nodes.NodeEvent;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.machine.nodes.Rest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Decision;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Seeded random runs of the machine: every node that is added, replaced or released, and every
/// phase of the job, is named by exactly one decision.
final class DecisionLinksTest {
  private static final JobId JOB = new JobId("default", "links");
  private static final int RUNS = 200;
  private static final int STEPS = 80;

  private final Map<Long, Event> events = new LinkedHashMap<>();
  private final List<Decision> decisions = new ArrayList<>();
  private final JobState state = new JobState(JOB);
  private long now = 1_000_000;

  @Test
  void everyChangeOfNodesIsNamedByOneDecision() {
    long seed = Long.getLong("pliant.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dpliant.seed)");
    for (int run = 0; run < RUNS; run++) {
      new DecisionLinksTest()
          .live(new SplittableRandom(seed + run), "seed %d, run %d".formatted(seed, run));
    }
  }

  private void live(SplittableRandom random, String which) {
    step(List.of(new Command.StartMaster(1), new Command.DefineJob(plan(random, 2))));
    for (int i = 0; i < STEPS; i++) {
      step(List.of(anything(random)));
    }
    assertThat(decisions).as(which).isNotEmpty();
    Map<Long, Long> causes = new LinkedHashMap<>();
    for (Decision decision : decisions) {
      assertThat(events.get(decision.id())).as(which).isEqualTo(new Event.DecisionMade(decision));
      for (long event : decision.events()) {
        assertThat(causes.put(event, decision.id())).as("%s, event %d", which, event).isNull();
      }
    }
    events.forEach((number, event) -> {
      if (event instanceof Event.Nodes(NodeEvent of) && isDecided(of)) {
        assertThat(causes).as("%s, %s", which, of).containsKey(number);
      }
    });
  }

  private static boolean isDecided(NodeEvent event) {
    return event instanceof NodeEvent.NodeAdded
        || event instanceof NodeEvent.NodesReleased
        || event instanceof NodeEvent.RelaunchPlanned
        || event instanceof NodeEvent.PhaseChanged;
  }

  private void step(List<Command> commands) {
    long number = state.events();
    for (Event event : JobMachine.step(state, List.of(commands), now).events()) {
      events.put(++number, event);
      if (event instanceof Event.DecisionMade(Decision decision)) {
        decisions.add(decision);
        assertThat(decision.atMillis()).isEqualTo(now);
      }
    }
    assertThat(number).isEqualTo(state.events());
  }

  private Command anything(SplittableRandom random) {
    now += random.nextLong(0, random.nextInt(10) == 0 ? 1_000_000 : 20_000);
    NodeId node = new NodeId(random.nextInt(4) == 0 ? "ps" : "worker", random.nextInt(12));
    return switch (random.nextInt(14)) {
      case 0 -> new Command.ScaleJob(random.nextInt(7), "chance");
      case 1 -> new Command.TakeWish(wish(random, node));
      case 2 -> new Command.RestJob(rest(random));
      case 3 ->
          random.nextInt(20) == 0
              ? new Command.StopJob("chance")
              : new Command.DefineJob(plan(random, now));
      case 4 -> new Command.ListNodes(List.of(new NodeNews.Running(node)));
      case 5, 6 -> new Command.CheckDeadlines();
      case 7, 8, 9 -> new Command.ObserveNode(new NodeNews.Running(node));
      case 10 -> new Command.ObserveNode(new NodeNews.Pending(node, "no room", true));
      default -> new Command.ObserveNode(ended(random, node));
    };
  }

  private static NodeNews ended(SplittableRandom random, NodeId node) {
    ExitReason reason = ExitReason.values()[random.nextInt(ExitReason.values().length)];
    return new NodeNews.Ended(node, random.nextInt(3), false, reason, "the last line");
  }

  private Rest rest(SplittableRandom random) {
    return random.nextBoolean()
        ? new Rest(true, 0)
        : new Rest(false, random.nextBoolean() ? 0 : now - random.nextLong(0, 60_000));
  }

  private static Wish wish(SplittableRandom random, NodeId node) {
    ResourceChange size = new ResourceChange(null, random.nextLong(1, 9_000), null, null);
    return new Wish(
        "wish-" + random.nextInt(3),
        random.nextInt(30),
        "chance",
        random.nextBoolean()
            ? List.of()
            : List.of(new Wish.RoleWish(node.role(), random.nextInt(7), size)),
        random.nextBoolean() ? List.of() : List.of(new Wish.NewNode(node.role(), size)),
        random.nextInt(3) > 0 ? List.of() : List.of(node),
        random.nextBoolean() ? List.of() : List.of(new Wish.Replacement(node, size)));
  }

  private static JobPlan plan(SplittableRandom random, long run) {
    boolean group = random.nextBoolean();
    NodeResources size = new NodeResources(16, 8_192, 0);
    return new JobPlan(
        JOB,
        run,
        group ? Strategy.ALLREDUCE : Strategy.LOCAL,
        group ? Elasticity.IN_PROCESS : Elasticity.NONE,
        new JobPlan.Workers(random.nextInt(1, 5), 1, 5, random.nextInt(3), size),
        1,
        List.of("true"),
        Map.of(),
        "/",
        null,
        "",
        1_000,
        List.of(new JobPlan.RolePlan("ps", random.nextInt(3), 0, 3, 2, size)));
  }
}
