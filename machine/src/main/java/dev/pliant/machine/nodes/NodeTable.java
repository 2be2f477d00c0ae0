package dev.pliant.machine.nodes;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/// Everything that is known of a job's nodes. It changes only by [#apply].
public final class NodeTable {
  /// How many nodes that failed or were taken away are remembered; the journal has them all.
  public static final int REMEMBERED = 1_000;

  /// How many wishes are remembered with what came of them: whoever told one keeps the answer.
  public static final int REMEMBERED_WISHES = 256;

  /// How long ends from outside are counted together.
  public static final long HOUR_MILLIS = 3_600_000;

  private @Nullable JobPlan plan;
  private JobPhase phase = JobPhase.PENDING;
  private JobPhase target = JobPhase.PENDING;
  private String phaseReason = "";
  private long finishingMillis;
  private int replacements;
  private long restedUntilMillis;
  private boolean journalLost;
  private long masterStartedMillis; // In the image of the whole job.
  private final TreeMap<String, RoleCount> roles = new TreeMap<>();
  private final LinkedHashMap<NodeId, Node> nodes = new LinkedHashMap<>();
  private final LinkedHashMap<NodeId, Relaunch> relaunches = new LinkedHashMap<>();
  private final ArrayDeque<Long> outsideEnds = new ArrayDeque<>();
  private final LinkedHashMap<String, Wish.Taken> wishes = new LinkedHashMap<>();

  // Worked out once for each change.
  private @Nullable DesiredNodes desired;
  private @Nullable Map<NodeId, Node> successors;
  private long settledUntilMillis = Long.MIN_VALUE;

  public NodeTable() {
    roles.put(NodeId.WORKER, RoleCount.none(NodeId.WORKER));
  }

  // What is known.

  /// Whether the job has nodes of its own; else others start its processes.
  public boolean defined() {
    return plan != null;
  }

  /// The plan of a job that has one.
  public JobPlan plan() {
    return Objects.requireNonNull(plan, "the job has no plan");
  }

  /// How many workers are wished.
  public int wish() {
    return wish(NodeId.WORKER);
  }

  /// How many nodes of a role are wished; none of one that there is not.
  public int wish(String role) {
    return count(role).wish();
  }

  /// Every role that the job has or had, by name.
  public List<String> roles() {
    return List.copyOf(roles.keySet());
  }

  private RoleCount count(String role) {
    return roles.getOrDefault(role, RoleCount.none(role));
  }

  /// What came of the newest generation of a wish that was told, or null.
  public Wish.@Nullable Taken taken(String source) {
    return wishes.get(source);
  }

  /// Whether there were more wishes than are remembered: of one that is not known nothing can be
  /// said.
  boolean forgetsWishes() {
    return wishes.size() >= REMEMBERED_WISHES;
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

  /// How many nodes took the place of another.
  public int replacements() {
    return replacements;
  }

  /// Until when the job rested without a master that saw it; 0 where it never did.
  public long restedUntilMillis() {
    return restedUntilMillis;
  }

  /// A master has taken over. What nodes did before it heard of them, it does not know yet.
  public void masterStarted(long atMillis) {
    masterStartedMillis = atMillis;
    settledUntilMillis = Long.MIN_VALUE;
  }

  /// Since when a node is known to be on its way: the time that no master was there does not count.
  long awaitedSinceMillis(Node node) {
    return Math.max(node.createdMillis(), masterStartedMillis);
  }

  /// Whether the journal began anew while the job ran: what was known of it before is lost.
  public boolean journalLost() {
    return journalLost;
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

  /// Whether another is to take the place of that node.
  boolean isToComeAgain(NodeId id) {
    return relaunches.containsKey(id);
  }

  /// The number that the next node of a role gets.
  public int nextNumber(String role) {
    return count(role).nextNumber();
  }

  /// How many nodes went for a reason from outside in the hour before `nowMillis`.
  public int outsideEnds(long nowMillis) {
    return Math.toIntExact(outsideEnds.stream().filter(at -> at > nowMillis - HOUR_MILLIS).count());
  }

  /// What a new node of a role gets: as was wished or else as the plan says, and no less memory
  /// than others turned out to need.
  public NodeResources newResources(String role) {
    RoleCount count = count(role);
    NodeResources asSaid = asSaid(count);
    return count.memoryMib() == 0 ? asSaid : asSaid.withMemoryMib(count.memoryMib());
  }

  /// What was wished for new nodes of a role, or else what the plan says.
  private NodeResources asSaid(RoleCount count) {
    JobPlan.RolePlan role = plan == null ? null : plan.role(count.role());
    NodeResources wished = count.resources();
    return wished != null ? wished : role == null ? NodeResources.UNBOUNDED : role.resources();
  }

  /// How many places of a role are taken: by nodes that stay, by those to come, and by those whose
  /// work is done. A node and the one that is to relieve it have one place.
  public int placesTaken(String role) {
    long taken =
        nodes.values().stream().filter(node -> node.isOf(role) && takesAPlace(node)).count();
    long coming = relaunches.keySet().stream().filter(id -> id.role().equals(role)).count();
    return Math.toIntExact(taken + coming);
  }

  private boolean takesAPlace(Node node) {
    return (node.staying() && successor(node.id()) == null)
        || node.awaitsJudgement()
        || node.phase() == NodePhase.SUCCEEDED;
  }

  /// The node that is to relieve this one once it runs, where both stay until then; else null.
  @Nullable Node successor(NodeId id) {
    Map<NodeId, Node> known = successors;
    if (known == null) {
      known = new HashMap<>();
      for (Node node : nodes.values()) {
        Node before = node.staying() ? before(node) : null;
        if (before != null && before.staying()) {
          known.put(before.id(), node);
        }
      }
      successors = known;
    }
    return known.get(id);
  }

  /// The node whose place this one took or is to take, as far as it is remembered.
  @Nullable Node before(Node node) {
    return node.replaces() == null ? null : nodes.get(node.replaces());
  }

  /// The first place of a role that nobody fills, nor is to.
  private int freeRank(String role) {
    BitSet filled = new BitSet();
    for (Node node : nodes.values()) {
      if (node.isOf(role) && (takesAPlace(node) || relaunches.containsKey(node.id()))) {
        filled.set(node.rank());
      }
    }
    return filled.nextClearBit(0);
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
                          node.id(),
                          node.resources(),
                          node.restarts(),
                          node.rank(),
                          node.released()))
                  .toList(),
              JobStanding.of(this));
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

  /// Notes that nothing follows before `untilMillis`, until something changes.
  public void settle(long untilMillis) {
    settledUntilMillis = untilMillis;
  }

  // What happens.

  /// Applies an event, whose truth was decided when it was made.
  public void apply(NodeEvent event, long atMillis) {
    desired = null;
    successors = null;
    settledUntilMillis = Long.MIN_VALUE;
    switch (event) {
      case NodeEvent.JobDefined(JobPlan given, boolean anew) -> define(given, anew);
      case NodeEvent.Scaled(String role, int wish) -> change(role, r -> r.withWish(wish));
      case NodeEvent.RoleResized(String role, NodeResources resources) ->
          change(role, r -> r.resized(resources));
      case NodeEvent.NumbersReserved(String role, int next) -> {
        change(role, r -> r.withNextNumber(next));
        journalLost = true;
      }
      case NodeEvent.WishTaken(Wish.Taken taken) -> remember(taken);
      case NodeEvent.NodeAdded added -> add(added, atMillis);
      case NodeEvent.NodeMoved e ->
          change(e.node(), n -> n.moved(e.phase(), e.message(), e.lacksRoom(), atMillis));
      case NodeEvent.NodeEnded e -> {
        change(e.node(), n -> n.ended(e.phase(), e.reason(), e.message(), atMillis));
        if (e.phase() == NodePhase.SUCCEEDED
            && e.node().role().equals(NodeId.WORKER)
            && plan().strategy() == Strategy.ALLREDUCE
            && finishingMillis == 0) {
          finishingMillis = atMillis;
          // The training is done: whoever is gone now is gone for good.
          relaunches.clear();
        }
        forgetOldest();
      }
      case NodeEvent.RelaunchPlanned(Relaunch relaunch, boolean outside) -> {
        plan(relaunch);
        if (outside) {
          outsideEnds.add(atMillis);
          outsideEnds.removeIf(at -> at <= atMillis - HOUR_MILLIS);
        }
      }
      case NodeEvent.NodesReleased(List<NodeId> released) -> release(released);
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
      case NodeEvent.JobRested(String why) -> {
        moveTo(JobPhase.SUSPENDED, why);
        List<Node> going = nodes.values().stream().filter(Node::staying).toList();
        going.stream()
            .filter(this::takesAPlace)
            .forEach(node -> relaunches.put(node.id(), Relaunch.afterRest(node)));
        going.forEach(node -> nodes.put(node.id(), node.release()));
      }
      case NodeEvent.JobResumed _ -> moveTo(JobPhase.PENDING, "");
      case NodeEvent.RestMissed(long until) ->
          restedUntilMillis = Math.max(restedUntilMillis, until);
    }
    successors = null;
  }

  private void moveTo(JobPhase to, String why) {
    phase = to;
    target = to;
    phaseReason = why;
  }

  /// What one of a role needed more than it had, later ones get too. One that is only as large as
  /// the one before it needed nothing: it may have been made larger than the others by a wish.
  private void plan(Relaunch relaunch) {
    NodeId of = relaunch.of();
    change(of, Node::judged);
    relaunches.put(of, relaunch);
    long memory = relaunch.resources().memoryMib();
    if (memory > Objects.requireNonNull(nodes.get(of)).resources().memoryMib()) {
      change(of.role(), r -> atLeast(r.withMemoryMib(memory)));
    }
  }

  /// What others needed counts where it is more than new nodes would get; where these have no bound
  /// nothing is.
  private RoleCount atLeast(RoleCount count) {
    long asSaid = asSaid(count).memoryMib();
    return asSaid == 0 || asSaid >= count.memoryMib() ? count.resized(count.resources()) : count;
  }

  /// Who was to relieve one of them is on its own from now on.
  private void release(List<NodeId> released) {
    Set<NodeId> all = Set.copyOf(released);
    nodes.replaceAll((_, node) ->
        node.staying() && node.replaces() != null && all.contains(node.replaces())
            ? node.waitingNoMore()
            : node);
    released.forEach(id -> change(id, Node::release));
    released.forEach(relaunches::remove);
  }

  private void define(JobPlan given, boolean anew) {
    JobPlan before = plan;
    plan = given;
    roles.replaceAll(
        (role, count) -> given.role(role) == null ? count.withWish(0).resized(null) : count);
    for (JobPlan.RolePlan role : given.roles()) {
      JobPlan.RolePlan was = before == null || anew ? null : before.role(role.role());
      RoleCount now = count(role.role());
      int wish = was == null || was.wish() != role.wish() ? role.wish() : now.wish();
      JobPlan.RolePlan known = before == null ? null : before.role(role.role());
      boolean resized = known == null || !known.resources().equals(role.resources());
      RoleCount sized = resized ? now.resized(null) : was == null ? atLeast(now.unwished()) : now;
      roles.put(role.role(), sized.withWish(Math.clamp(wish, role.min(), role.max())));
    }
    if (anew) {
      moveTo(JobPhase.PENDING, "");
      finishingMillis = 0;
      outsideEnds.clear();
      // What succeeded or failed did so in another run; its places are free.
      nodes.values().removeIf(node -> node.phase().ended());
    }
  }

  private void add(NodeEvent.NodeAdded added, long atMillis) {
    NodeId replaced = added.replaces();
    Node before = replaced == null ? null : nodes.get(replaced);
    int rank = before == null ? freeRank(added.node().role()) : before.rank();
    nodes.put(added.node(), Node.added(added, rank, atMillis));
    change(added.node().role(), r -> r.withNextNumber(added.node().number() + 1));
    if (replaced != null) {
      Relaunch planned = relaunches.remove(replaced);
      // One that was told to go and is to have a successor all the same went for a rest.
      boolean rested = planned != null && before != null && before.released();
      replacements += rested ? 0 : 1;
    }
  }

  /// The newest come last; of those that nobody has told for long, the journal knows.
  private void remember(Wish.Taken taken) {
    wishes.remove(taken.source());
    wishes.put(taken.source(), taken);
    if (wishes.size() > REMEMBERED_WISHES) {
      wishes.pollFirstEntry();
    }
  }

  private void change(String role, UnaryOperator<RoleCount> change) {
    roles.put(role, change.apply(count(role)));
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
        List.copyOf(roles.values()),
        phase,
        target,
        phaseReason,
        finishingMillis,
        List.copyOf(nodes.values()),
        List.copyOf(relaunches.values()),
        List.copyOf(outsideEnds),
        List.copyOf(wishes.values()),
        replacements,
        restedUntilMillis,
        journalLost);
  }

  /// The table that had this image.
  public static NodeTable of(NodesImage image) {
    NodeTable table = new NodeTable();
    table.plan = image.plan();
    table.phase = image.phase();
    table.target = image.target();
    table.phaseReason = image.phaseReason();
    table.finishingMillis = image.finishingMillis();
    table.replacements = image.replacements();
    table.restedUntilMillis = image.restedUntilMillis();
    table.journalLost = image.journalLost();
    image.roles().forEach(role -> table.roles.put(role.role(), role));
    image.wishes().forEach(table::remember);
    image.nodes().forEach(node -> table.nodes.put(node.id(), node));
    image.relaunches().forEach(relaunch -> table.relaunches.put(relaunch.of(), relaunch));
    table.outsideEnds.addAll(image.outsideEnds());
    return table;
  }
}
