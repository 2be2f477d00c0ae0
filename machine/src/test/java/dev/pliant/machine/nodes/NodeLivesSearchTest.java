package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/// Seeded random lives of nodes: whatever happens in whatever order, what must hold holds after
/// each event, and every job comes to its end when it is stopped.
class NodeLivesSearchTest {
  private static final int LIVES = Integer.getInteger("pliant.lives", 400);
  private static final int STEPS = 120;

  @Test
  void whateverHappensTheRulesHold() {
    long seed = Long.getLong("pliant.seed", System.nanoTime());
    System.out.println("seed " + seed + " (-Dpliant.seed)");
    for (int life = 0; life < LIVES; life++) {
      live(new SplittableRandom(seed + life), "seed " + seed + ", life " + life);
    }
  }

  private static void live(SplittableRandom random, String which) {
    int max = random.nextInt(1, 6);
    int min = random.nextInt(1, max + 1);
    Strategy strategy = random.nextBoolean() ? Strategy.ALLREDUCE : Strategy.LOCAL;
    NodeResources resources =
        random.nextBoolean()
            ? NodeResources.UNBOUNDED
            : new NodeResources(16, 1L << random.nextInt(8, 16), 0);
    JobPlan plan =
        NodeLife.plan(
            1, strategy, random.nextInt(min, max + 1), min, max, random.nextInt(0, 4), resources);
    NodeLife life =
        NodeLife.of(
            random.nextBoolean()
                ? plan
                : NodeLife.with(
                    plan,
                    new JobPlan.RolePlan("ps", random.nextInt(3), 0, 3, 2, resources),
                    new JobPlan.RolePlan("evaluator", 1, 1, 1, 2, resources)));
    for (int step = 0; step < STEPS; step++) {
      int before = life.events.size();
      NodesImage image = life.table.image();
      somethingHappens(life, random);
      check(life, before, image, which + ", step " + step);
    }
    comeToAnEnd(life, which);
  }

  private static void somethingHappens(NodeLife life, SplittableRandom random) {
    switch (random.nextInt(12)) {
      case 11 -> life.apply(RestOrders.rest(life.table, anyRest(life, random)));
      case 10 -> life.wish(anyWish(life, random));
      case 0, 1 -> life.pass(random.nextLong(0, 120_000));
      case 2 -> {
        if (life.table.phase().goesOn() && life.table.finishingMillis() == 0) {
          life.scale(random.nextInt(0, 9));
        }
      }
      case 3 -> {
        if (random.nextInt(30) == 0) {
          life.apply(JobOrders.stop(life.table, "chance"));
        }
      }
      case 4 -> life.apply(NodeObserver.lose(life.table, anyNode(life, random), "silent"));
      case 5 -> life.apply(NodeObserver.list(life.table, listed(life, random)));
      default -> life.apply(NodeObserver.observe(life.table, anyNews(life, random)));
    }
  }

  private static Rest anyRest(NodeLife life, SplittableRandom random) {
    return random.nextInt(3) == 0
        ? new Rest(true, 0)
        : new Rest(false, random.nextBoolean() ? 0 : life.now - random.nextLong(0, 60_000));
  }

  private static NodeId anyNode(NodeLife life, SplittableRandom random) {
    String role = anyRole(random);
    return new NodeId(role, random.nextInt(life.table.nextNumber(role) + 1));
  }

  private static String anyRole(SplittableRandom random) {
    return random.nextInt(3) > 0 ? NodeId.WORKER : random.nextBoolean() ? "ps" : "evaluator";
  }

  private static Wish anyWish(NodeLife life, SplittableRandom random) {
    ResourceChange change = new ResourceChange(null, random.nextLong(-1, 9_000), null, null);
    return new Wish(
        "wish-" + random.nextInt(3),
        random.nextInt(20),
        "chance",
        random.nextBoolean()
            ? List.of()
            : List.of(new Wish.RoleWish(anyRole(random), random.nextInt(7), change)),
        random.nextBoolean() ? List.of() : List.of(new Wish.NewNode(anyRole(random), change)),
        random.nextBoolean() ? List.of() : List.of(anyNode(life, random)),
        random.nextBoolean()
            ? List.of()
            : List.of(new Wish.Replacement(anyNode(life, random), change)));
  }

  private static NodeNews anyNews(NodeLife life, SplittableRandom random) {
    NodeId node = anyNode(life, random);
    ExitReason said = ExitReason.values()[random.nextInt(ExitReason.values().length)];
    return switch (random.nextInt(6)) {
      case 0 ->
          new NodeNews.Pending(node, random.nextBoolean() ? "no room" : "", random.nextBoolean());
      case 1, 2, 3 -> new NodeNews.Running(node);
      case 4 -> new NodeNews.Ended(node, 137, random.nextInt(4) == 0, null, "killed");
      default -> new NodeNews.Ended(node, 1, false, random.nextBoolean() ? said : null, "failed");
    };
  }

  /// What a platform would list: each node as it is, some with news.
  private static List<NodeNews> listed(NodeLife life, SplittableRandom random) {
    List<NodeNews> listed = new ArrayList<>();
    for (Node node : life.table.nodes()) {
      if (node.phase().ended() || random.nextInt(10) == 0) {
        listed.add(new NodeNews.Ended(node.id(), 137, false, null, "listed"));
      } else if (node.phase() == NodePhase.RUNNING) {
        listed.add(new NodeNews.Running(node.id()));
      }
    }
    return listed;
  }

  private static void check(NodeLife life, int before, NodesImage image, String which) {
    NodeTable table = life.table;
    List<NodeEvent> fresh = life.events.subList(before, life.events.size());
    boolean wanted =
        image.finishingMillis() == 0
            && (image.phase().wantsNodes()
                || (image.phase() == JobPhase.SUSPENDED && goesOn(fresh)));
    long running =
        table.desired().nodes().stream()
            .filter(node -> !node.leaving() && node.id().role().equals(NodeId.WORKER))
            .filter(node -> table.successor(node.id()) == null)
            .count();
    assertThat(running).as("desired to run; %s", which).isLessThanOrEqualTo(max(table));
    assertThat(table.wish()).as(which).isBetween(min(table), max(table));
    if (!wanted) {
      assertThat(fresh)
          .as("nothing is started for a job that is over; %s", which)
          .noneMatch(event -> event instanceof NodeEvent.NodeAdded);
    }
    if (table.phase().wantsNodes() && table.finishingMillis() == 0) {
      for (String role : table.roles()) {
        assertThat(table.placesTaken(role))
            .as("places of %s; %s", role, which)
            .isEqualTo(expectedPlaces(table, role));
        assertThat(
                table.nodes().stream()
                    .filter(n -> n.isOf(role) && n.staying() && table.successor(n.id()) == null)
                    .map(Node::rank))
            .as("ranks of %s; %s", role, which)
            .doesNotHaveDuplicates();
      }
    }
    checkHandovers(table, which);
    checkRest(table, image, fresh, which);
    life.decisions.clear();
    assertNumbersAreGivenOnce(life, which);
    assertThat(NodeTable.of(table.image()).image()).as(which).isEqualTo(table.image());
  }

  /// Whether a job that rested went on, if only to its end.
  private static boolean goesOn(List<NodeEvent> fresh) {
    return fresh.stream().anyMatch(event -> event instanceof NodeEvent.JobResumed);
  }

  /// One that stays until another runs has that other's place, and runs itself.
  private static void checkHandovers(NodeTable table, String which) {
    for (Node node : table.nodes()) {
      Node successor = table.successor(node.id());
      if (successor != null && table.phase().wantsNodes() && table.finishingMillis() == 0) {
        assertThat(node.phase()).as(which).isEqualTo(NodePhase.RUNNING);
        assertThat(successor.phase()).as(which).isNotEqualTo(NodePhase.RUNNING);
        assertThat(successor.rank()).as(which).isEqualTo(node.rank());
      }
    }
  }

  /// A job that rests has nobody who stays, and neither its beginning nor its end counts.
  private static void checkRest(
      NodeTable table, NodesImage before, List<NodeEvent> fresh, String which) {
    if (table.phase() == JobPhase.SUSPENDED) {
      assertThat(table.desired().nodes()).as(which).allMatch(DesiredNode::leaving);
    }
    if (before.phase() == JobPhase.SUSPENDED) {
      long failedBefore =
          before.nodes().stream()
              .filter(n -> n.awaitsJudgement() || isToBeReplaced(before, n))
              .count();
      assertThat(table.replacements() - before.replacements())
          .as("only who failed before the rest counts; %s", which)
          .isBetween(0, Math.toIntExact(failedBefore));
    }
    if (fresh.stream().anyMatch(event -> event instanceof NodeEvent.JobRested)) {
      assertThat(table.replacements()).as(which).isEqualTo(before.replacements());
      assertThat(table.image().outsideEnds()).as(which).isEqualTo(before.outsideEnds());
      assertThat(table.relaunches())
          .as("every line goes on; %s", which)
          .hasSize(
              before.relaunches().size()
                  + (int) before.nodes().stream().filter(n -> isLast(before, n)).count());
    }
  }

  /// Whether it stays and nobody is to relieve it: of each line that is one.
  private static boolean isLast(NodesImage image, Node node) {
    return node.staying()
        && image.nodes().stream().noneMatch(n -> n.staying() && node.id().equals(n.replaces()));
  }

  private static boolean isToBeReplaced(NodesImage image, Node node) {
    return !node.released()
        && image.relaunches().stream().anyMatch(relaunch -> relaunch.of().equals(node.id()));
  }

  /// As many as are wished, unless more have already done their work.
  private static int expectedPlaces(NodeTable table, String role) {
    int succeeded =
        Math.toIntExact(
            table.nodes().stream()
                .filter(n -> n.isOf(role) && n.phase() == NodePhase.SUCCEEDED)
                .count());
    boolean stays = table.nodes().stream().anyMatch(n -> n.isOf(role) && n.staying());
    int oldest = stays && table.wish(role) > 0 ? 1 : 0;
    return Math.max(table.wish(role), succeeded + oldest);
  }

  private static void assertNumbersAreGivenOnce(NodeLife life, String which) {
    List<NodeId> added =
        life.events.stream()
            .filter(event -> event instanceof NodeEvent.NodeAdded)
            .map(event -> ((NodeEvent.NodeAdded) event).node())
            .toList();
    assertThat(added).as(which).doesNotHaveDuplicates();
  }

  private static int max(NodeTable table) {
    return table.plan().workers().max();
  }

  private static int min(NodeTable table) {
    return table.plan().workers().min();
  }

  private static void comeToAnEnd(NodeLife life, String which) {
    life.apply(JobOrders.stop(life.table, "the test"));
    for (Node node : List.copyOf(life.table.nodes())) {
      life.apply(
          NodeObserver.observe(
              life.table, new NodeNews.Ended(node.id(), 143, false, null, "told to go")));
    }
    assertThat(life.table.phase())
        .as(which)
        .isIn(JobPhase.STOPPED, JobPhase.FAILED, JobPhase.SUCCEEDED);
    assertThat(life.table.desired().nodes()).as(which).isEmpty();
    assertThat(WorkerManager.nextDeadlineMillis(life.table)).as(which).isEqualTo(Long.MAX_VALUE);
    replaysAlike(life, which);
  }

  private static void replaysAlike(NodeLife life, String which) {
    NodeTable again = new NodeTable();
    for (int i = 0; i < life.events.size(); i++) {
      again.apply(life.events.get(i), life.times.get(i));
    }
    assertThat(again.image()).as(which).isEqualTo(life.table.image());
  }
}
