package dev.pliant.machine.nodes;

import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import dev.pliant.model.decision.Value;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

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
  public static List<NodeDecision> next(NodeTable table, long nowMillis) {
    return !table.defined() || table.settled(nowMillis) ? List.of() : firstRule(table, nowMillis);
  }

  private static List<NodeDecision> firstRule(NodeTable table, long nowMillis) {
    if (table.phase() == JobPhase.STOPPING) {
      return allEnded(table) ? over(table) : List.of();
    }
    if (!table.phase().wantsNodes()) {
      return List.of();
    }
    List<NodeDecision> finished = finish(table, nowMillis);
    if (!finished.isEmpty() || table.finishingMillis() != 0) {
      return finished;
    }
    List<NodeDecision> handed = Handovers.next(table);
    if (!handed.isEmpty()) {
      return handed;
    }
    List<NodeDecision> judged = judge(table, nowMillis);
    if (!judged.isEmpty()) {
      return judged;
    }
    List<NodeDecision> begun = begin(table);
    if (!begun.isEmpty()) {
      return begun;
    }
    List<NodeDecision> sized = size(table, nowMillis);
    if (!sized.isEmpty()) {
      return sized;
    }
    List<NodeDecision> late = LateNodes.next(table, nowMillis);
    return late.isEmpty() ? unstick(table, nowMillis) : late;
  }

  private static boolean allEnded(NodeTable table) {
    return table.nodes().stream().allMatch(node -> node.phase().ended());
  }

  private static List<NodeDecision> over(NodeTable table) {
    return NodeDecision.of(
        new NodeEvent.PhaseChanged(table.target(), table.target(), table.phaseReason()),
        new Choice(
            new Subject.OfJob(),
            Rule.ALL_NODES_ENDED,
            List.of(
                Input.name(InputName.PHASE, table.phase()),
                Input.count(InputName.NODES, table.nodes().size())),
            Alternatives.nonePossible(),
            new Plan.EnterPhase(table.target())));
  }

  private static List<NodeDecision> begin(NodeTable table) {
    Optional<Node> first =
        table.phase() == JobPhase.PENDING
            ? table.nodes().stream().filter(node -> node.phase() == NodePhase.RUNNING).findFirst()
            : Optional.empty();
    return first
        .map(node ->
            NodeDecision.of(
                new NodeEvent.PhaseChanged(JobPhase.RUNNING, JobPhase.RUNNING, ""),
                new Choice(
                    new Subject.OfJob(),
                    Rule.FIRST_NODE_RUNS,
                    List.of(
                        Input.name(InputName.PHASE, table.phase()),
                        Input.name(InputName.NODE, node.id().toString())),
                    Alternatives.nonePossible(),
                    new Plan.EnterPhase(JobPhase.RUNNING))))
        .orElseGet(List::of);
  }

  /// Whether the training is done, and what is done about those that have not noticed.
  private static List<NodeDecision> finish(NodeTable table, long nowMillis) {
    List<Node> staying =
        table.nodes().stream().filter(node -> node.staying() && trains(node.id())).toList();
    if (table.plan().strategy() == Strategy.LOCAL) {
      boolean done =
          staying.isEmpty()
              && table.relaunches().stream().noneMatch(relaunch -> trains(relaunch.of()))
              && table.nodes().stream()
                  .noneMatch(node -> node.awaitsJudgement() && trains(node.id()))
              && succeeded(table) >= table.wish();
      return done ? succeed(table, Rule.ALL_SUCCEEDED) : List.of();
    }
    if (table.finishingMillis() == 0) {
      return List.of();
    }
    if (staying.isEmpty()) {
      return succeed(table, Rule.GROUP_SUCCEEDED);
    }
    if (nowMillis < table.finishingMillis() + FINISH_MILLIS) {
      return List.of();
    }
    List<NodeId> late = staying.stream().map(Node::id).toList();
    return NodeDecision.of(
        new NodeEvent.NodesReleased(late),
        new Choice(
            new Subject.OfJob(),
            Rule.OTHERS_DO_NOT_FINISH,
            List.of(
                Input.count(InputName.NODES_SUCCEEDED, succeeded(table)),
                new Input(InputName.NODES_NOT_ENDED, Value.Names.of(late)),
                Input.duration(InputName.WAITED, nowMillis - table.finishingMillis()),
                Input.duration(InputName.LONGEST_WAIT, FINISH_MILLIS)),
            Alternatives.rejected(Alternative.WAIT_LONGER, Objection.WORK_IS_DONE),
            Plan.ReleaseNodes.of(late)));
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

  private static List<NodeDecision> succeed(NodeTable table, Rule rule) {
    int succeeded = succeeded(table);
    String reason = "%,d %s succeeded".formatted(succeeded, succeeded == 1 ? "node" : "nodes");
    return NodeDecision.of(
        new NodeEvent.PhaseChanged(JobPhase.STOPPING, JobPhase.SUCCEEDED, reason),
        new Choice(
            new Subject.OfJob(),
            rule,
            List.of(
                Input.name(InputName.STRATEGY, table.plan().strategy()),
                Input.count(InputName.NODES_SUCCEEDED, succeeded),
                Input.count(InputName.NODES_TO_STAY, 0),
                Input.count(InputName.REQUESTED, table.wish())),
            Alternatives.rejected(Alternative.START_NODES, Objection.WORK_IS_DONE),
            new Plan.EndJob(JobPhase.SUCCEEDED)));
  }

  /// Judges the first that failed, and with it those after it that went from outside as it did: of
  /// these no judgement depends on another but by their count, and a machine room that goes dark
  /// ends thousands at once.
  private static List<NodeDecision> judge(NodeTable table, long nowMillis) {
    List<NodeDecision> decisions = new ArrayList<>();
    int outsideEnds = table.outsideEnds(nowMillis);
    for (Node node : table.nodes()) {
      if (!node.awaitsJudgement()) {
        continue;
      }
      if (!decisions.isEmpty() && !node.reason().fromOutside()) {
        break;
      }
      RelaunchPolicy.Verdict verdict =
          POLICY.judge(
              table.plan(),
              node,
              outsideEnds + decisions.size(),
              node.reason() == ExitReason.OOM ? NodeUse.memoryLeftMib(table, node) : Long.MAX_VALUE,
              nowMillis);
      decisions.add(new NodeDecision(List.of(event(verdict)), verdict.choice()));
      if (verdict instanceof RelaunchPolicy.Verdict.Fail || !node.reason().fromOutside()) {
        break;
      }
    }
    return decisions;
  }

  private static NodeEvent event(RelaunchPolicy.Verdict verdict) {
    return switch (verdict) {
      case RelaunchPolicy.Verdict.Again(Relaunch relaunch, boolean outside, Choice _) ->
          new NodeEvent.RelaunchPlanned(relaunch, outside);
      case RelaunchPolicy.Verdict.Fail(String reason, Choice _) ->
          new NodeEvent.PhaseChanged(JobPhase.STOPPING, JobPhase.FAILED, reason);
    };
  }

  private static List<NodeDecision> size(NodeTable table, long nowMillis) {
    for (String role : table.roles()) {
      List<NodeDecision> sized = size(table, role, nowMillis);
      if (!sized.isEmpty()) {
        return sized;
      }
    }
    return List.of();
  }

  /// Makes the number of a role's places what is wished, and fills those whose time has come.
  private static List<NodeDecision> size(NodeTable table, String role, long nowMillis) {
    int excess = table.placesTaken(role) - table.wish(role);
    if (excess > 0) {
      return shrink(table, role, excess);
    }
    List<NodeDecision> due = new ArrayList<>();
    for (Relaunch relaunch : table.relaunches()) {
      if (relaunch.of().role().equals(role) && relaunch.dueMillis() <= nowMillis) {
        due.add(replacement(relaunch, table.nextNumber(role) + due.size()));
      }
    }
    if (!due.isEmpty()) {
      return due;
    }
    int room = excess < 0 ? NodeUse.room(table, role, -excess) : 0;
    return room > 0 ? grow(table, role, room) : List.of();
  }

  private static NodeDecision replacement(Relaunch relaunch, int number) {
    NodeId node = new NodeId(relaunch.of().role(), number);
    return new NodeDecision(
        List.of(
            new NodeEvent.NodeAdded(
                node,
                relaunch.resources(),
                relaunch.of(),
                relaunch.restarts(),
                relaunch.streak(),
                relaunch.backoffMillis())),
        new Choice(
            new Subject.OfNode(node),
            Rule.REPLACEMENT_DUE,
            List.of(
                Input.name(InputName.REPLACES, relaunch.of().toString()),
                Input.duration(InputName.WAITED, relaunch.backoffMillis())),
            Alternatives.nonePossible(),
            new Plan.StartReplacement(relaunch.of(), node, relaunch.resources())));
  }

  private static List<NodeDecision> grow(NodeTable table, String role, int count) {
    List<NodeEvent> events = new ArrayList<>();
    NodeId first = new NodeId(role, table.nextNumber(role));
    NodeResources resources = table.newResources(role);
    for (int i = 0; i < count; i++) {
      NodeId node = new NodeId(role, first.number() + i);
      events.add(new NodeEvent.NodeAdded(node, resources, null, 0, 0, 0));
    }
    return NodeDecision.of(
        events,
        sizing(
            table,
            role,
            Rule.GROW,
            new Alternatives.Rejection(
                Alternative.WAIT_LONGER, Objection.FEWER_PLACES_TAKEN_THAN_REQUESTED),
            new Plan.AddNodes(first, count, resources)));
  }

  /// The last places go first. Where nodes whose work is done have all places, the first of those
  /// that still work finishes.
  private static List<NodeDecision> shrink(NodeTable table, String role, int count) {
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
      return List.of(); // The places are taken by nodes whose work is done.
    }
    return NodeDecision.of(
        new NodeEvent.NodesReleased(going),
        sizing(
            table,
            role,
            Rule.SHRINK,
            new Alternatives.Rejection(
                Alternative.RELEASE_OTHER_NODES, Objection.OLDEST_HOLD_STATE_LONGEST),
            Plan.ReleaseNodes.of(going)));
  }

  /// The node that stays until the one of this place runs.
  private static Optional<NodeId> relievedBy(NodeTable table, Place place) {
    Node node = table.node(place.id());
    return node != null && Handovers.isToRelieve(table, node)
        ? Optional.ofNullable(node.replaces())
        : Optional.empty();
  }

  private static Choice sizing(
      NodeTable table, String role, Rule rule, Alternatives.Rejection rejected, Plan plan) {
    return new Choice(
        new Subject.OfRole(role),
        rule,
        List.of(
            Input.count(InputName.PLACES_TAKEN, table.placesTaken(role)),
            Input.count(InputName.REQUESTED, table.wish(role))),
        Alternatives.rejected(rejected),
        plan);
  }

  /// Does something about a node that is pending for too long: a smaller one may find room.
  private static List<NodeDecision> unstick(NodeTable table, long nowMillis) {
    Optional<Node> stuck =
        table.nodes().stream()
            .filter(WorkerManager::mayBeStuck)
            .filter(node -> nowMillis >= table.awaitedSinceMillis(node) + PENDING_MILLIS)
            .findFirst();
    if (stuck.isEmpty()) {
      return List.of();
    }
    Node node = stuck.get();
    NodeResources smaller = halved(node.resources());
    Objection against = whyNoSmallerOne(table, node, smaller);
    if (against != null) {
      return NodeDecision.of(
          new NodeEvent.PendingNoted(node.id()),
          stuck(
              node,
              nowMillis,
              new Alternatives.Rejection(Alternative.REPLACE_WITH_SMALLER_NODE, against),
              node.replaces() != null && Handovers.isToRelieve(table, node)
                  ? new Plan.KeepNode(node.replaces())
                  : new Plan.KeepWaiting()));
    }
    NodeId by = new NodeId(node.id().role(), table.nextNumber(node.id().role()));
    return NodeDecision.of(
        List.of(
            new NodeEvent.NodesReleased(List.of(node.id())),
            new NodeEvent.NodeAdded(by, smaller, node.id(), node.restarts(), node.streak(), 0)),
        stuck(
            node,
            nowMillis,
            new Alternatives.Rejection(Alternative.WAIT_LONGER, Objection.SMALLER_MAY_FIND_ROOM),
            new Plan.ReplaceNode(node.id(), by, smaller, 0, 0, 0)));
  }

  private static Choice stuck(
      Node node, long nowMillis, Alternatives.Rejection rejected, Plan plan) {
    return new Choice(
        new Subject.OfNode(node.id()),
        Rule.PENDING_TOO_LONG,
        List.of(
            Input.duration(InputName.WAITED, nowMillis - node.createdMillis()),
            Input.duration(InputName.LONGEST_WAIT, PENDING_MILLIS),
            new Input(InputName.RESOURCES, new Value.Resources(node.resources())),
            new Input(InputName.LACKS_ROOM, new Value.Flag(node.lacksRoom())),
            Input.text(InputName.MESSAGE, node.message())),
        Alternatives.rejected(rejected),
        plan);
  }

  /// Null where a smaller one may find room.
  private static @Nullable Objection whyNoSmallerOne(
      NodeTable table, Node node, NodeResources smaller) {
    if (Handovers.isToRelieve(table, node)) {
      return Objection.SIZE_WAS_REQUESTED;
    }
    if (!node.lacksRoom()) {
      return Objection.NO_LACK_OF_ROOM;
    }
    if (node.resources().gpus() > 0) {
      return Objection.HAS_GPUS;
    }
    return smaller.equals(node.resources()) ? Objection.AT_SMALLEST_SIZE : null;
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
