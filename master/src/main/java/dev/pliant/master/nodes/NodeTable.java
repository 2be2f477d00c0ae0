package dev.pliant.master.nodes;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Everything that is known of a job's nodes. It changes only by [#apply].
public final class NodeTable {
  /// How many nodes that failed or were taken away are remembered; the journal has them all.
  public static final int REMEMBERED = 1_000;

  /// How long ends from outside are counted together.
  public static final long HOUR_MILLIS = 3_600_000;

  private @Nullable JobPlan plan;
  private int wish;
  private JobPhase phase = JobPhase.PENDING;
  private JobPhase target = JobPhase.PENDING;
  private String phaseReason = "";
  private long finishingMillis;
  private long memoryMib;
  private int nextNumber;
  private final LinkedHashMap<NodeId, Node> nodes = new LinkedHashMap<>();
  private final LinkedHashMap<NodeId, Relaunch> relaunches = new LinkedHashMap<>();
  private final ArrayDeque<Long> outsideEnds = new ArrayDeque<>();

  // Worked out once for each change.
  private @Nullable DesiredNodes desired;
  private long settledUntilMillis = Long.MIN_VALUE;

  // What is known.

  /// Whether the job has nodes of its own; else others start its processes.
  public boolean defined() {
    return plan != null;
  }

  /// The plan of a job that has one.
  public JobPlan plan() {
    return Objects.requireNonNull(plan, "the job has no plan");
  }

  public int wish() {
    return wish;
  }

  public JobPhase phase() {
    return phase;
  }

  /// Where a job that stops will be once its nodes have ended.
  public JobPhase target() {
    return target;
  }

  public String phaseReason() {
    return phaseReason;
  }

  /// Since when a node of a group has succeeded; 0 where none has.
  public long finishingMillis() {
    return finishingMillis;
  }

  /// Every node, in the order of their making.
  public Collection<Node> nodes() {
    return Collections.unmodifiableCollection(nodes.values());
  }

  public @Nullable Node node(NodeId id) {
    return nodes.get(id);
  }

  /// Nodes that are to take another's place, in the order of their planning.
  public Collection<Relaunch> relaunches() {
    return Collections.unmodifiableCollection(relaunches.values());
  }

  /// The number that the next node gets.
  public int nextNumber() {
    return nextNumber;
  }

  /// How many nodes went for a reason from outside in the hour before `nowMillis`.
  public int outsideEnds(long nowMillis) {
    return Math.toIntExact(outsideEnds.stream().filter(at -> at > nowMillis - HOUR_MILLIS).count());
  }

  /// What a new node gets: as the plan says, and no less memory than others turned out to need.
  public NodeResources newResources() {
    NodeResources planned = plan().workers().resources();
    return planned.memoryMib() == 0 || planned.memoryMib() >= memoryMib
        ? planned
        : planned.withMemoryMib(memoryMib);
  }

  /// How many places are taken: by nodes that stay, by those to come, and by those whose work is
  /// done.
  public int placesTaken() {
    long taken =
        nodes.values().stream()
            .filter(node ->
                node.staying() || node.awaitsJudgement() || node.phase() == NodePhase.SUCCEEDED)
            .count();
    return Math.toIntExact(taken) + relaunches.size();
  }

  /// What the platform is to have. A job without nodes of its own wants nothing of one.
  public DesiredNodes desired() {
    DesiredNodes known = desired;
    if (known == null) {
      known =
          new DesiredNodes(
              defined(),
              nodes.values().stream()
                  .filter(node -> !node.phase().ended())
                  .map(node ->
                      new DesiredNode(
                          node.id(), node.resources(), node.restarts(), node.released()))
                  .toList());
      desired = known;
    }
    return known;
  }

  /// Whether nothing follows from this state at that time, as far as was worked out before.
  boolean settled(long nowMillis) {
    return nowMillis < settledUntilMillis;
  }

  /// Until when nothing follows, as far as was worked out; [Long#MIN_VALUE] where it was not.
  long settledUntilMillis() {
    return settledUntilMillis;
  }

  /// Remembers that nothing follows before `untilMillis`, until something changes.
  void settle(long untilMillis) {
    settledUntilMillis = untilMillis;
  }

  // What happens.

  /// Applies an event, whose truth was decided when it was made.
  public void apply(NodeEvent event, long atMillis) {
    desired = null;
    settledUntilMillis = Long.MIN_VALUE;
    switch (event) {
      case NodeEvent.JobDefined(JobPlan given, boolean anew) -> define(given, anew);
      case NodeEvent.Scaled(int newWish) -> wish = newWish;
      case NodeEvent.NodeAdded added -> {
        nodes.put(added.node(), Node.added(added, atMillis));
        nextNumber = Math.max(nextNumber, added.node().number() + 1);
        if (added.replaces() != null) {
          relaunches.remove(added.replaces());
        }
      }
      case NodeEvent.NodeMoved e ->
          change(e.node(), n -> n.moved(e.phase(), e.message(), atMillis));
      case NodeEvent.NodeEnded e -> {
        change(e.node(), n -> n.ended(e.phase(), e.reason(), e.message(), atMillis));
        if (e.phase() == NodePhase.SUCCEEDED
            && plan().strategy() == Strategy.ALLREDUCE
            && finishingMillis == 0) {
          finishingMillis = atMillis;
          // The training is done: whoever is gone now is gone for good.
          relaunches.clear();
        }
        forgetOldest();
      }
      case NodeEvent.RelaunchPlanned(Relaunch relaunch, boolean outside) -> {
        change(relaunch.of(), Node::judged);
        relaunches.put(relaunch.of(), relaunch);
        memoryMib = Math.max(memoryMib, relaunch.resources().memoryMib());
        if (outside) {
          outsideEnds.add(atMillis);
          outsideEnds.removeIf(at -> at <= atMillis - HOUR_MILLIS);
        }
      }
      case NodeEvent.NodesReleased(List<NodeId> released) -> {
        released.forEach(id -> change(id, Node::release));
        released.forEach(relaunches::remove);
      }
      case NodeEvent.PendingNoted(NodeId id) -> change(id, Node::waitingOn);
      case NodeEvent.PhaseChanged(JobPhase to, JobPhase then, String why) -> {
        phase = to;
        target = then;
        phaseReason = why;
        if (!to.wantsNodes()) {
          relaunches.clear();
          nodes.replaceAll((_, node) -> node.phase().ended() ? node.judged() : node.release());
        }
      }
    }
  }

  private void define(JobPlan given, boolean anew) {
    boolean first = plan == null;
    if (first || anew || plan().workers().wish() != given.workers().wish()) {
      wish = given.workers().wish();
    }
    plan = given;
    wish = Math.clamp(wish, given.workers().min(), given.workers().max());
    if (anew) {
      phase = JobPhase.PENDING;
      target = JobPhase.PENDING;
      phaseReason = "";
      finishingMillis = 0;
      outsideEnds.clear();
      // What succeeded or failed did so in another run; its places are free.
      nodes.values().removeIf(node -> node.phase().ended());
    }
  }

  private void change(NodeId id, UnaryOperator<Node> change) {
    Node node = nodes.get(id);
    if (node == null) {
      throw new IllegalArgumentException("an event of a node that there is not: " + id);
    }
    nodes.put(id, change.apply(node));
  }

  /// Bounds what a long job remembers. What has succeeded still takes a place, so it stays.
  private void forgetOldest() {
    List<NodeId> old = new ArrayList<>();
    for (Map.Entry<NodeId, Node> entry : nodes.entrySet()) {
      Node node = entry.getValue();
      if (node.phase().ended()
          && node.phase() != NodePhase.SUCCEEDED
          && !node.awaitsJudgement()
          && !relaunches.containsKey(entry.getKey())) {
        old.add(entry.getKey());
      }
    }
    for (int i = 0; i < old.size() - REMEMBERED; i++) {
      nodes.remove(old.get(i));
    }
  }

  // Images.

  public NodesImage image() {
    return new NodesImage(
        plan,
        wish,
        phase,
        target,
        phaseReason,
        finishingMillis,
        memoryMib,
        nextNumber,
        List.copyOf(nodes.values()),
        List.copyOf(relaunches.values()),
        List.copyOf(outsideEnds));
  }

  /// The table that had this image.
  public static NodeTable of(NodesImage image) {
    NodeTable table = new NodeTable();
    table.plan = image.plan();
    table.wish = image.wish();
    table.phase = image.phase();
    table.target = image.target();
    table.phaseReason = image.phaseReason();
    table.finishingMillis = image.finishingMillis();
    table.memoryMib = image.memoryMib();
    table.nextNumber = image.nextNumber();
    image.nodes().forEach(node -> table.nodes.put(node.id(), node));
    image.relaunches().forEach(relaunch -> table.relaunches.put(relaunch.of(), relaunch));
    table.outsideEnds.addAll(image.outsideEnds());
    return table;
  }
}
