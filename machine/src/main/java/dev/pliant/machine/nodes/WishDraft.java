package dev.pliant.machine.nodes;

import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.ResourceSum;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a wish would come to, until something speaks against it.
final class WishDraft {
  private final NodeTable table;
  private final Wish wish;
  private final boolean doneBefore;
  private final TreeMap<String, Integer> counts = new TreeMap<>();
  private final TreeMap<String, NodeResources> sizes = new TreeMap<>();
  private final TreeMap<String, Integer> numbers = new TreeMap<>();
  private final TreeMap<String, TreeMap<Integer, ResourceChange>> named = new TreeMap<>();
  private final List<NodeEvent> events = new ArrayList<>();
  private final List<NodeEvent.NodeAdded> replacing = new ArrayList<>();
  private final List<NodeEvent.NodeAdded> added = new ArrayList<>();
  private final Set<NodeId> removed = new LinkedHashSet<>();
  private final Set<NodeId> replaced = new LinkedHashSet<>();

  /// Nodes that were to relieve one that goes, or that others are to relieve instead.
  private final Set<NodeId> dropped = new LinkedHashSet<>();

  private final List<String> done = new ArrayList<>();
  private final Set<String> asides = new LinkedHashSet<>();
  private final List<String> against = new ArrayList<>();
  private final Set<Objection> objections = new LinkedHashSet<>();

  /// @param doneBefore whether an earlier generation of this wish was done
  WishDraft(NodeTable table, Wish wish, boolean doneBefore) {
    this.table = table;
    this.wish = wish;
    this.doneBefore = doneBefore;
  }

  void draw() {
    String late = JobOrders.whyNoOtherSize(table);
    if (!late.isEmpty()) {
      refuse(Objection.JOB_IS_ENDING, late);
      return;
    }
    try {
      wish.roles().forEach(this::resize);
      wish.remove().forEach(this::remove);
      List<Wish.Replacement> there =
          wish.replace().stream().filter(asked -> !isToCome(asked)).toList();
      // Those to come are named by the numbers that come next: nobody else may take these.
      named.forEach(this::bring);
      there.forEach(this::replace);
      wish.add().forEach(this::add);
      counts.forEach(this::count);
      keepWithinLimits();
    } catch (PliantException e) {
      refuse(Objection.INVALID_SIZE, String.valueOf(e.getMessage()));
    }
  }

  private void refuse(Objection objection, String why) {
    objections.add(objection);
    against.add(why);
  }

  private boolean knows(String role) {
    boolean known = table.plan().role(role) != null;
    if (!known) {
      switch (wish.unknownRole()) {
        case REFUSED ->
            refuse(
                Objection.UNKNOWN_ROLE,
                "this job has no role '%s'; it has %s."
                    .formatted(
                        role, table.plan().roles().stream().map(JobPlan.RolePlan::role).toList()));
        case LEFT_OUT -> asides.add("this job has no role '%s', which is left out".formatted(role));
      }
    }
    return known;
  }

  private void resize(Wish.RoleWish asked) {
    String role = asked.role();
    if (!knows(role)) {
      return;
    }
    if (asked.count() != null) {
      counts.put(role, asked.count());
    }
    NodeResources now = table.newResources(role);
    NodeResources then = sized(role, asked.resources(), now);
    if (!then.equals(now)) {
      events.add(new NodeEvent.RoleResized(role, then));
      sizes.put(role, then);
      done.add("%s nodes that are made from now on get %s".formatted(role, then.describe()));
    }
  }

  /// What `now` becomes. Of what a template gives, no node can have none: what a plan does not name
  /// is the template's to say.
  private NodeResources sized(String role, ResourceChange change, NodeResources now) {
    NodeResources template = Objects.requireNonNull(table.plan().role(role)).resources();
    List<String> none = new ArrayList<>();
    addIfNone(none, "cpu", change.cpu(), template.cpu());
    addIfNone(none, "memory", change.memoryMib(), template.memoryMib());
    addIfNone(none, "gpu", change.gpus(), template.gpus());
    addIfNone(none, "disk", change.diskMib(), template.diskMib());
    if (!none.isEmpty()) {
      refuse(
          Objection.INVALID_SIZE,
          "0 of %s is asked for, and the job's template of role %s gives some (%s); ask for more than 0, or change the template."
              .formatted(String.join(", ", none), role, template.describe()));
    }
    return change.of(now);
  }

  private static void addIfNone(
      List<String> none, String name, @Nullable Number asked, Number template) {
    if (asked != null && asked.doubleValue() == 0 && template.doubleValue() > 0) {
      none.add(name);
    }
  }

  private void more(String role, int difference) {
    counts.put(role, wished(role) + difference);
  }

  private int wished(String role) {
    return counts.getOrDefault(role, table.wish(role));
  }

  /// What a new node of a role gets.
  private NodeResources size(String role) {
    return sizes.getOrDefault(role, table.newResources(role));
  }

  private void add(Wish.NewNode asked) {
    String role = asked.role();
    if (knows(role) && runs()) {
      more(role, 1);
      start(next(role), sized(role, asked.resources(), size(role)));
    }
  }

  private boolean runs() {
    boolean runs = table.phase().wantsNodes();
    if (!runs) {
      refuse(Objection.JOB_IS_SUSPENDED, "the job rests; a node can be added once it goes on.");
    }
    return runs;
  }

  private void start(NodeId node, NodeResources resources) {
    added.add(new NodeEvent.NodeAdded(node, resources, null, 0, 0, 0));
    done.add("%s is started with %s".formatted(node, resources.describe()));
  }

  private NodeId next(String role) {
    int number = numbers.getOrDefault(role, table.nextNumber(role));
    numbers.put(role, number + 1);
    return new NodeId(role, number);
  }

  private void remove(NodeId id) {
    if (!knows(id.role())) {
      return;
    }
    if (wasDone(id)) {
      // It went off the count then; a wish that says the count itself says it with this one.
      more(id.role(), wish.count(id.role()) == null ? 0 : -1);
    } else if (leaves(id, removed) != null) {
      more(id.role(), -1);
      done.add("%s is told to go".formatted(id));
      dropSuccessor(place(id));
    }
  }

  /// The node that has the place which this one has or is to take.
  private NodeId place(NodeId id) {
    Node node = table.node(id);
    return node != null && node.replaces() != null && Handovers.isToRelieve(table, node)
        ? node.replaces()
        : id;
  }

  private void dropSuccessor(NodeId of) {
    Node successor = table.successor(of);
    if (successor != null) {
      dropped.add(successor.id());
    }
  }

  /// Whether no node had this number yet; then its size waits for the count that brings it.
  private boolean isToCome(Wish.Replacement asked) {
    NodeId id = asked.node();
    if (table.plan().role(id.role()) == null || id.number() < table.nextNumber(id.role())) {
      return false;
    }
    var ofRole = named.computeIfAbsent(id.role(), _ -> new TreeMap<>());
    if (ofRole.put(id.number(), asked.resources()) != null) {
      refuse(Objection.NODE_NAMED_TWICE, "node %s is named twice.".formatted(id));
    }
    return true;
  }

  /// Makes the nodes up to the last that is named, if the count brings so many.
  private void bring(String role, TreeMap<Integer, ResourceChange> sizesOf) {
    if (wished(role) > Objects.requireNonNull(table.plan().role(role)).max()) {
      return; // Which speaks against it below.
    }
    int first = table.nextNumber(role);
    long leaving = removed.stream().filter(id -> id.role().equals(role)).count();
    long brought = wished(role) - (table.placesTaken(role) - leaving);
    if (sizesOf.lastKey() >= first + brought) {
      refuse(Objection.UNKNOWN_NODE, noNode(new NodeId(role, sizesOf.lastKey())));
    } else if (runs()) {
      for (int number = first; number <= sizesOf.lastKey(); number++) {
        ResourceChange change = sizesOf.get(number);
        NodeId node = next(role);
        if (change == null) {
          added.add(new NodeEvent.NodeAdded(node, size(role), null, 0, 0, 0));
        } else {
          start(node, sized(role, change, size(role)));
        }
      }
    }
  }

  private void replace(Wish.Replacement asked) {
    NodeId id = asked.node();
    if (!knows(id.role()) || wasDone(id) || hasSize(asked)) {
      return;
    }
    Node old = leaves(id, replaced);
    if (old == null) {
      return;
    }
    NodeResources now = Objects.requireNonNull(table.node(id)).resources();
    NodeResources resources = sized(id.role(), asked.resources(), now);
    Node successor = table.successor(old.id());
    if (successor != null && successor.resources().equals(resources)) {
      replaced.remove(old.id());
      asides.add(
          "%s is to take the place of %s with that already".formatted(successor.id(), old.id()));
      return;
    }
    dropSuccessor(old.id());
    NodeId node = next(id.role());
    replacing.add(
        new NodeEvent.NodeAdded(node, resources, old.id(), old.restarts(), old.streak(), 0));
    done.add("%s takes the place of %s, with %s".formatted(node, old.id(), resources.describe()));
  }

  /// Whether an earlier generation of this wish may have seen to it that the node is gone. One that
  /// ended because its work is done never was.
  private boolean wasDone(NodeId id) {
    Node node = table.node(id);
    boolean gone =
        node == null
            ? id.number() < table.nextNumber(id.role())
            : !node.staying() && node.phase() != NodePhase.SUCCEEDED;
    if (doneBefore && gone) {
      asides.add("%s is gone, as was wished before".formatted(id));
    }
    return doneBefore && gone;
  }

  /// Whether the node is what an earlier generation of this wish made of it.
  private boolean hasSize(Wish.Replacement asked) {
    Node node = table.node(asked.node());
    boolean has =
        doneBefore
            && node != null
            && node.staying()
            && !asked.resources().equals(ResourceChange.NONE)
            && asked.resources().of(node.resources()).equals(node.resources());
    if (has) {
      asides.add("%s is of that size already".formatted(asked.node()));
    }
    return has;
  }

  /// The node that is to go, or null where it cannot. One that is to relieve another stands for it.
  private @Nullable Node leaves(NodeId id, Set<NodeId> going) {
    Node node = table.node(id);
    if (node == null || !node.staying()) {
      refuse(Objection.UNKNOWN_NODE, noNode(id));
      return null;
    }
    NodeId place = place(id);
    if (removed.contains(place) || !going.add(place)) {
      refuse(Objection.NODE_NAMED_TWICE, "node %s is named twice.".formatted(id));
      return null;
    }
    return table.node(place);
  }

  private String noNode(NodeId id) {
    return "there is no node %s that is to stay; there are %s."
        .formatted(
            id, table.nodes().stream().filter(Node::staying).map(Node::id).limit(16).toList());
  }

  private void count(String role, int count) {
    JobPlan.RolePlan bounds = Objects.requireNonNull(table.plan().role(role));
    if (count < bounds.min() || count > bounds.max()) {
      refuse(
          Objection.ROLE_BOUNDS,
          "%,d nodes of role %s are asked for; this job takes from %,d to %,d."
              .formatted(count, role, bounds.min(), bounds.max()));
    } else if (count != table.wish(role)) {
      events.add(new NodeEvent.Scaled(role, count));
      done.add("%s: from %,d to %,d nodes".formatted(role, table.wish(role), count));
    }
  }

  /// Those of the replaced that stay until their successors run: all that run, where the job's
  /// limits have room for both. Of one that does not run, nothing is lost.
  private Set<NodeId> relieved() {
    Map<NodeId, NodeId> running = new LinkedHashMap<>();
    ResourceSum both = useThen();
    for (Node node : table.nodes()) {
      if (table.successor(node.id()) != null && !going(node.id())) {
        both = both.plus(1, node.resources()); // By an earlier wish it stays, too.
      }
    }
    for (NodeEvent.NodeAdded successor : replacing) {
      Node node = Objects.requireNonNull(table.node(Objects.requireNonNull(successor.replaces())));
      if (node.phase() == NodePhase.RUNNING) {
        running.put(node.id(), successor.node());
        both = both.plus(1, node.resources());
      }
    }
    boolean room = table.plan().limits().exceeded(NodeUse.now(table), both).isEmpty();
    running.forEach((node, successor) ->
        asides.add(
            room
                ? "%s stays until %s runs".formatted(node, successor)
                : "%s goes at once, for the job's limits (spec.resourceLimits) have no room for both"
                    .formatted(node)));
    return room ? running.keySet() : Set.of();
  }

  private void keepWithinLimits() {
    if (!against.isEmpty()) {
      return;
    }
    List<String> exceeded =
        table.plan().limits().exceeded(new WishDraft(table, wish, doneBefore).useThen(), useThen());
    if (!exceeded.isEmpty()) {
      refuse(
          Objection.JOB_LIMITS,
          "the nodes of this job would use %s, more than its limits (spec.resourceLimits) allow; ask for fewer or smaller ones, or raise the limits."
              .formatted(String.join(", ", exceeded)));
    }
  }

  /// What all nodes would use once all of this is done. Of a draft without a word that is what was
  /// wished before, whether there is room for all of it or not: asking for less is never refused.
  private ResourceSum useThen() {
    List<NodeResources> then = new ArrayList<>();
    table.roles().forEach(role -> then.addAll(sizesThen(role)));
    return ResourceSum.of(then);
  }

  /// What the nodes of a role would have once all of this is done: the last go first where they are
  /// too many, and new ones come where they are too few.
  private List<NodeResources> sizesThen(String role) {
    List<NodeResources> sizes = new ArrayList<>();
    for (Place place : Place.inOrder(table, role)) {
      NodeResources instead = replacingSize(place.id());
      if (instead != null) {
        sizes.add(instead);
      } else if (staysThen(place.id())) {
        sizes.add(place.resources());
      }
    }
    int places = table.placesTaken(role);
    for (NodeEvent.NodeAdded node : added) {
      if (node.node().role().equals(role)) {
        sizes.add(node.resources());
        places++;
      }
    }
    places -= Math.toIntExact(removed.stream().filter(id -> id.role().equals(role)).count());
    for (; places < wished(role); places++) {
      sizes.add(size(role));
    }
    int excess = Math.min(places - wished(role), sizes.size());
    return sizes.subList(0, sizes.size() - excess);
  }

  /// What the node has that is to take the place of this one, or null.
  private @Nullable NodeResources replacingSize(NodeId id) {
    return replacing.stream()
        .filter(node -> id.equals(node.replaces()))
        .map(NodeEvent.NodeAdded::resources)
        .findFirst()
        .orElse(null);
  }

  private boolean staysThen(NodeId id) {
    return !going(id) && table.successor(id) == null;
  }

  private boolean going(NodeId id) {
    return removed.contains(id) || replaced.contains(id) || dropped.contains(id);
  }

  WishOrders.Outcome outcome() {
    boolean refused = !against.isEmpty();
    Set<NodeId> relieved = refused ? Set.of() : relieved();
    String message = refused ? String.join(" ", against) : whatIsDone();
    Wish.Taken taken =
        new Wish.Taken(wish.source(), wish.generation(), !refused, doneBefore, message);
    List<NodeEvent> all = new ArrayList<>();
    if (!refused) {
      all.addAll(events);
      List<NodeId> released = new ArrayList<>(replaced);
      released.removeAll(relieved);
      released.addAll(removed);
      released.addAll(dropped);
      if (!released.isEmpty()) {
        all.add(new NodeEvent.NodesReleased(released));
      }
      // Whoever replaces takes its place before those that are new look for a free one.
      all.addAll(replacing);
      all.addAll(added);
    }
    Choice choice = choice(refused, all);
    all.add(new NodeEvent.WishTaken(taken));
    return new WishOrders.Outcome(NodeDecision.of(all, choice), taken);
  }

  private String whatIsDone() {
    List<String> said = new ArrayList<>(done.isEmpty() ? List.of("all is so already") : done);
    said.addAll(asides);
    return String.join("; ", said);
  }

  private Choice choice(boolean refused, List<NodeEvent> then) {
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.text(InputName.REQUESTED_BY, wish.who()));
    inputs.add(Input.count(InputName.GENERATION, wish.generation()));
    for (JobPlan.RolePlan role : table.plan().roles()) {
      inputs.add(Input.name(InputName.ROLE, role.role()));
      inputs.add(Input.count(InputName.REQUESTED_BEFORE, table.wish(role.role())));
      inputs.add(Input.count(InputName.REQUESTED, wished(role.role())));
      inputs.add(Input.count(InputName.LEAST, role.min()));
      inputs.add(Input.count(InputName.MOST, role.max()));
    }
    return new Choice(
        new Subject.OfJob(),
        refused ? Rule.REQUEST_REFUSED : Rule.REQUEST_ACCEPTED,
        inputs,
        refused ? rejected() : Alternatives.nonePossible(),
        Plan.all(then.stream().flatMap(event -> part(event).stream()).toList()));
  }

  private Alternatives rejected() {
    List<Rejection> rejected = new ArrayList<>();
    for (Objection objection : objections) {
      rejected.add(new Rejection(Alternative.CARRY_OUT_REQUEST, objection));
    }
    rejected.add(new Rejection(Alternative.CARRY_OUT_IN_PART, Objection.ALL_OR_NOTHING));
    return new Alternatives.Rejected(rejected);
  }

  private Optional<Plan> part(NodeEvent event) {
    return switch (event) {
      case NodeEvent.RoleResized(String role, NodeResources resources) ->
          Optional.of(new Plan.ResizeRole(role, resources));
      case NodeEvent.Scaled(String role, int count) ->
          Optional.of(new Plan.SetCount(role, table.wish(role), count));
      case NodeEvent.NodesReleased(List<NodeId> nodes) -> Optional.of(Plan.ReleaseNodes.of(nodes));
      case NodeEvent.NodeAdded node when node.replaces() != null ->
          Optional.of(
              new Plan.ReplaceNode(node.replaces(), node.node(), node.resources(), 0, 0, 0));
      case NodeEvent.NodeAdded node ->
          Optional.of(new Plan.AddNodes(node.node(), 1, node.resources()));
      case NodeEvent.JobDefined _,
          NodeEvent.NumbersReserved _,
          NodeEvent.WishTaken _,
          NodeEvent.NodeMoved _,
          NodeEvent.NodeEnded _,
          NodeEvent.RelaunchPlanned _,
          NodeEvent.PendingNoted _,
          NodeEvent.PhaseChanged _,
          NodeEvent.JobRested _,
          NodeEvent.JobResumed _,
          NodeEvent.RestMissed _ ->
          Optional.empty();
    };
  }
}
