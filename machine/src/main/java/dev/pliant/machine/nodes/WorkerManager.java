package dev.pliant.machine.nodes;

import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// Decides about a job's nodes: what follows from what is known of them and the time alone. Changes
/// nothing. What users ask comes in by [JobOrders], what platforms see by [NodeObserver].
///
/// A node that is to go has `released` set and `relaunchable` cleared: nobody takes its place.
/// Which of them go first [Place] says.
///
/// Each role is kept at its own count. The job is done when those who train are: workers, and a
/// chief where there is one; what is left of other roles is then told to go.
public final class WorkerManager {
  /// How long the others of a group may take to finish by themselves once one has succeeded.
  public static final long FINISH_MILLIS = 60_000;

  /// How long a node may be pending before something is done about it.
  public static final long PENDING_MILLIS = 900_000;

  /// Below these a pending node is not made smaller.
  public static final double LEAST_HALVED_CPU = 4;

  public static final long LEAST_HALVED_MEMORY_MIB = 6_144;

  /// The role of a worker that does more than the others.
  static final String CHIEF = "chief";

  private static final RelaunchPolicy POLICY = RelaunchPolicy.DEFAULT;

  private WorkerManager() {}

  /// Decides what follows from the table and the time alone; nothing where it may stay as it is.
  public static Ruling next(NodeTable table, long nowMillis) {
    return !table.defined() || table.settled(nowMillis)
        ? Ruling.NOTHING
        : firstRule(table, nowMillis);
  }

  private static Ruling firstRule(NodeTable table, long nowMillis) {
    if (table.phase() == JobPhase.STOPPING) {
      return allEnded(table) ? over(table) : Ruling.NOTHING;
    }
    if (!table.phase().wantsNodes()) {
      return Ruling.NOTHING;
    }
    Ruling finished = finish(table, nowMillis);
    if (!finished.isNothing() || table.finishingMillis() != 0) {
      return finished;
    }
    Ruling handed = Handovers.next(table);
    if (!handed.isNothing()) {
      return handed;
    }
    Ruling judged = judge(table, nowMillis);
    if (!judged.isNothing()) {
      return judged;
    }
    Ruling begun = begin(table);
    if (!begun.isNothing()) {
      return begun;
    }
    Ruling sized = size(table, nowMillis);
    if (!sized.isNothing()) {
      return sized;
    }
    Ruling late = LateNodes.next(table, nowMillis);
    return late.isNothing() ? unstick(table, nowMillis) : late;
  }

  private static boolean allEnded(NodeTable table) {
    return table.nodes().stream().allMatch(node -> node.phase().ended());
  }

  private static Ruling over(NodeTable table) {
    return new Ruling(
        List.of(new NodeEvent.PhaseChanged(table.target(), table.target(), table.phaseReason())),
        List.of());
  }

  private static Ruling begin(NodeTable table) {
    boolean runs = table.nodes().stream().anyMatch(node -> node.phase() == NodePhase.RUNNING);
    return table.phase() == JobPhase.PENDING && runs
        ? new Ruling(
            List.of(new NodeEvent.PhaseChanged(JobPhase.RUNNING, JobPhase.RUNNING, "")), List.of())
        : Ruling.NOTHING;
  }

  /// Whether the training is done, and what is done about those that have not noticed.
  private static Ruling finish(NodeTable table, long nowMillis) {
    List<Node> staying =
        table.nodes().stream().filter(node -> node.staying() && trains(node.id())).toList();
    if (table.plan().strategy() == Strategy.LOCAL) {
      boolean done =
          staying.isEmpty()
              && table.relaunches().stream().noneMatch(relaunch -> trains(relaunch.of()))
              && table.nodes().stream()
                  .noneMatch(node -> node.awaitsJudgement() && trains(node.id()))
              && succeeded(table) >= table.wish();
      return done ? succeed(table, "all-succeeded") : Ruling.NOTHING;
    }
    if (table.finishingMillis() == 0) {
      return Ruling.NOTHING;
    }
    if (staying.isEmpty()) {
      return succeed(table, "group-succeeded");
    }
    if (nowMillis < table.finishingMillis() + FINISH_MILLIS) {
      return Ruling.NOTHING;
    }
    List<NodeId> late = staying.stream().map(Node::id).toList();
    return Ruling.of(
        new NodeEvent.NodesReleased(late),
        new Decision(
            "job " + table.plan().job(),
            "others-do-not-finish",
            List.of(
                new Input("nodes that succeeded", Integer.toString(succeeded(table))),
                new Input("nodes that have not ended", late.toString()),
                new Input("waited, ms", Long.toString(nowMillis - table.finishingMillis())),
                new Input("the most, ms", Long.toString(FINISH_MILLIS))),
            List.of(new Rejected("wait longer", "the training of the group is done")),
            "they are told to go"));
  }

  private static boolean trains(NodeId node) {
    return node.role().equals(NodeId.WORKER) || node.role().equals(CHIEF);
  }

  private static int succeeded(NodeTable table) {
    return Math.toIntExact(
        table.nodes().stream()
            .filter(node -> node.isOf(NodeId.WORKER) && node.phase() == NodePhase.SUCCEEDED)
            .count());
  }

  private static Ruling succeed(NodeTable table, String rule) {
    int succeeded = succeeded(table);
    String reason = "%,d %s succeeded".formatted(succeeded, succeeded == 1 ? "node" : "nodes");
    return Ruling.of(
        new NodeEvent.PhaseChanged(JobPhase.STOPPING, JobPhase.SUCCEEDED, reason),
        new Decision(
            "job " + table.plan().job(),
            rule,
            List.of(
                new Input("strategy", table.plan().strategy().word()),
                new Input("nodes that succeeded", Integer.toString(succeeded)),
                new Input("nodes that are to stay", "0"),
                new Input("wished", Integer.toString(table.wish()))),
            List.of(new Rejected("start others", "the work is done")),
            "the job succeeds once its last node has ended"));
  }

  /// Judges the first that failed, and with it those after it that went from outside as it did: of
  /// these no judgement depends on another but by their count, and a machine room that goes dark
  /// ends thousands at once.
  private static Ruling judge(NodeTable table, long nowMillis) {
    List<NodeEvent> events = new ArrayList<>();
    List<Decision> decisions = new ArrayList<>();
    int outsideEnds = table.outsideEnds(nowMillis);
    for (Node node : table.nodes()) {
      if (!node.awaitsJudgement()) {
        continue;
      }
      if (!events.isEmpty() && !node.reason().fromOutside()) {
        break;
      }
      RelaunchPolicy.Verdict verdict =
          POLICY.judge(
              table.plan(),
              node,
              outsideEnds + events.size(),
              node.reason() == ExitReason.OOM ? NodeUse.memoryLeftMib(table, node) : Long.MAX_VALUE,
              nowMillis);
      events.add(event(verdict));
      decisions.add(verdict.decision());
      if (verdict instanceof RelaunchPolicy.Verdict.Fail || !node.reason().fromOutside()) {
        break;
      }
    }
    return new Ruling(events, decisions);
  }

  private static NodeEvent event(RelaunchPolicy.Verdict verdict) {
    return switch (verdict) {
      case RelaunchPolicy.Verdict.Again(Relaunch relaunch, boolean outside, Decision _) ->
          new NodeEvent.RelaunchPlanned(relaunch, outside);
      case RelaunchPolicy.Verdict.Fail(String reason, Decision _) ->
          new NodeEvent.PhaseChanged(JobPhase.STOPPING, JobPhase.FAILED, reason);
    };
  }

  private static Ruling size(NodeTable table, long nowMillis) {
    for (String role : table.roles()) {
      Ruling sized = size(table, role, nowMillis);
      if (!sized.isNothing()) {
        return sized;
      }
    }
    return Ruling.NOTHING;
  }

  /// Makes the number of a role's places what is wished, and fills those whose time has come.
  private static Ruling size(NodeTable table, String role, long nowMillis) {
    int excess = table.placesTaken(role) - table.wish(role);
    if (excess > 0) {
      return shrink(table, role, excess);
    }
    List<NodeEvent> due = new ArrayList<>();
    for (Relaunch relaunch : table.relaunches()) {
      if (relaunch.of().role().equals(role) && relaunch.dueMillis() <= nowMillis) {
        due.add(added(relaunch, table.nextNumber(role) + due.size()));
      }
    }
    if (!due.isEmpty()) {
      return new Ruling(due, List.of());
    }
    int room = excess < 0 ? NodeUse.room(table, role, -excess) : 0;
    return room > 0 ? grow(table, role, room) : Ruling.NOTHING;
  }

  private static NodeEvent added(Relaunch relaunch, int number) {
    return new NodeEvent.NodeAdded(
        new NodeId(relaunch.of().role(), number),
        relaunch.resources(),
        relaunch.of(),
        relaunch.restarts(),
        relaunch.streak(),
        relaunch.backoffMillis());
  }

  private static Ruling grow(NodeTable table, String role, int count) {
    List<NodeEvent> events = new ArrayList<>();
    List<NodeId> added = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      NodeId node = new NodeId(role, table.nextNumber(role) + i);
      added.add(node);
      events.add(new NodeEvent.NodeAdded(node, table.newResources(role), null, 0, 0, 0));
    }
    Decision decision =
        sizing(
            table,
            role,
            "grow",
            List.of(new Rejected("wait", "fewer places are taken than are wished")),
            "started: " + range(added));
    return new Ruling(events, List.of(decision));
  }

  /// The last places go first. Where nodes whose work is done have all places, the first of those
  /// that still work finishes.
  private static Ruling shrink(NodeTable table, String role, int count) {
    List<Place> places =
        Place.inOrder(table, role).stream()
            .filter(place -> table.successor(place.id()) == null)
            .toList();
    List<Place> last = places.subList(Math.max(0, places.size() - count), places.size());
    Optional<Place> finishes =
        last.size() < places.size() || table.wish(role) == 0
            ? Optional.empty()
            : places.stream().filter(Place::stays).findFirst();
    List<NodeId> going = new ArrayList<>();
    for (Place place : last.reversed()) {
      if (!finishes.equals(Optional.of(place))) {
        going.add(place.id());
        relievedBy(table, place).ifPresent(going::add);
      }
    }
    if (going.isEmpty()) {
      return Ruling.NOTHING; // The places are taken by nodes whose work is done.
    }
    Decision decision =
        sizing(
            table,
            role,
            "shrink",
            List.of(
                new Rejected(
                    "let others go",
                    "in a group the oldest hold the state for the longest; elsewhere the first ranks stay")),
            "told to go: " + range(going));
    return Ruling.of(new NodeEvent.NodesReleased(going), decision);
  }

  /// The node that stays until the one of this place runs.
  private static Optional<NodeId> relievedBy(NodeTable table, Place place) {
    Node node = table.node(place.id());
    return node != null && Handovers.isToRelieve(table, node)
        ? Optional.ofNullable(node.replaces())
        : Optional.empty();
  }

  private static Decision sizing(
      NodeTable table, String role, String rule, List<Rejected> rejected, String plan) {
    return new Decision(
        "job " + table.plan().job(),
        rule,
        List.of(
            new Input("role", role),
            new Input("places taken", Integer.toString(table.placesTaken(role))),
            new Input("wished", Integer.toString(table.wish(role)))),
        rejected,
        plan);
  }

  private static String range(List<NodeId> nodes) {
    return nodes.size() <= 8
        ? nodes.toString()
        : "%s to %s, %,d in all".formatted(nodes.getFirst(), nodes.getLast(), nodes.size());
  }

  /// Does something about a node that is pending for too long: a smaller one may find room.
  private static Ruling unstick(NodeTable table, long nowMillis) {
    Optional<Node> stuck =
        table.nodes().stream()
            .filter(WorkerManager::mayBeStuck)
            .filter(node -> nowMillis >= table.awaitedSinceMillis(node) + PENDING_MILLIS)
            .findFirst();
    if (stuck.isEmpty()) {
      return Ruling.NOTHING;
    }
    Node node = stuck.get();
    NodeResources smaller = halved(node.resources());
    String whyNot = whyNoSmallerOne(table, node, smaller);
    List<Input> inputs =
        List.of(
            new Input("pending, ms", Long.toString(nowMillis - node.createdMillis())),
            new Input("the most, ms", Long.toString(PENDING_MILLIS)),
            new Input("resources", node.resources().describe()),
            new Input("message", node.message()));
    if (!whyNot.isEmpty()) {
      return Ruling.of(
          new NodeEvent.PendingNoted(node.id()),
          new Decision(
              "node " + node.id(),
              "pending-too-long",
              inputs,
              List.of(new Rejected("start a smaller one", whyNot)),
              Handovers.isToRelieve(table, node)
                  ? "it is waited for, and %s stays until it runs".formatted(node.replaces())
                  : "it is waited for"));
    }
    return new Ruling(
        List.of(
            new NodeEvent.NodesReleased(List.of(node.id())),
            new NodeEvent.NodeAdded(
                new NodeId(node.id().role(), table.nextNumber(node.id().role())),
                smaller,
                node.id(),
                node.restarts(),
                node.streak(),
                0)),
        List.of(
            new Decision(
                "node " + node.id(),
                "pending-too-long",
                inputs,
                List.of(new Rejected("wait longer", "a smaller one may find room")),
                "it is told to go, and one with %s takes its place"
                    .formatted(smaller.describe()))));
  }

  /// Empty where a smaller one may find room.
  private static String whyNoSmallerOne(NodeTable table, Node node, NodeResources smaller) {
    if (Handovers.isToRelieve(table, node)) {
      return "somebody wished one of this size";
    }
    if (!node.lacksRoom()) {
      return "it is not for want of room that it does not start";
    }
    if (node.resources().gpus() > 0) {
      return "a node with GPUs is not made smaller";
    }
    return smaller.equals(node.resources()) ? "it is as small as a node is made" : "";
  }

  private static boolean mayBeStuck(Node node) {
    return node.staying() && node.phase() != NodePhase.RUNNING && !node.waitsOn();
  }

  private static NodeResources halved(NodeResources resources) {
    if (resources.gpus() > 0) {
      return resources;
    }
    NodeResources smaller = resources;
    if (resources.cpu() / 2 > LEAST_HALVED_CPU) {
      smaller = smaller.withCpu(resources.cpu() / 2);
    }
    if (resources.memoryMib() / 2 > LEAST_HALVED_MEMORY_MIB) {
      smaller = smaller.withMemoryMib(resources.memoryMib() / 2);
    }
    return smaller;
  }

  /// When something falls due although nobody says anything.
  public static long nextDeadlineMillis(NodeTable table) {
    long deadline = Long.MAX_VALUE;
    if (!table.defined() || !table.phase().wantsNodes()) {
      return deadline;
    }
    if (table.settledUntilMillis() != Long.MIN_VALUE) {
      return table.settledUntilMillis();
    }
    if (table.finishingMillis() != 0) {
      boolean staying = table.nodes().stream().anyMatch(Node::staying);
      return staying ? table.finishingMillis() + FINISH_MILLIS : deadline;
    }
    for (Relaunch relaunch : table.relaunches()) {
      deadline = Math.min(deadline, relaunch.dueMillis());
    }
    for (Node node : table.nodes()) {
      deadline = Math.min(deadline, LateNodes.deadlineMillis(table, node));
      if (mayBeStuck(node)) {
        deadline = Math.min(deadline, table.awaitedSinceMillis(node) + PENDING_MILLIS);
      }
    }
    return deadline;
  }
}
