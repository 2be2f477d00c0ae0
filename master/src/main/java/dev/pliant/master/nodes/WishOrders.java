package dev.pliant.master.nodes;

import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Decides what comes of a [Wish]: all of it is done, or nothing and the answer says why. Changes
/// nothing.
///
/// | wish | what is done | refused |
/// |---|---|---|
/// | a count | the role has so many | outside the role's bounds, no such role |
/// | a size | nodes of the role that are made from now on get it; a line keeps its own | no such role, no such size |
/// | one more | one more of the role, of that size | above the role's most, or the job rests |
/// | one to go | that node goes, the role has one less | below the role's fewest, no such node |
/// | one to replace | another of that size takes its place; it goes at once | no such node |
public final class WishOrders {
  private WishOrders() {}

  /// @param ruling what is to be recorded; nothing where this wish was taken up before
  public record Outcome(Ruling ruling, Wish.Taken taken) {}

  /// Somebody wishes something.
  ///
  /// @throws PliantException where the job has no nodes
  public static Outcome take(NodeTable table, Wish wish) {
    JobOrders.checkDefined(table);
    Wish.Taken before = table.taken(wish.source());
    if (before != null && before.generation() >= wish.generation()) {
      return new Outcome(Ruling.NOTHING, before);
    }
    Draft draft = new Draft(table, wish);
    draft.draw();
    return draft.outcome();
  }

  /// What a wish would come to, until something speaks against it.
  private static final class Draft {
    private final NodeTable table;
    private final Wish wish;
    private final TreeMap<String, Integer> counts = new TreeMap<>();
    private final TreeMap<String, Integer> numbers = new TreeMap<>();
    private final List<NodeEvent> events = new ArrayList<>();
    private final List<NodeEvent> added = new ArrayList<>();
    private final Set<NodeId> released = new LinkedHashSet<>();
    private final List<String> done = new ArrayList<>();
    private final List<String> against = new ArrayList<>();

    Draft(NodeTable table, Wish wish) {
      this.table = table;
      this.wish = wish;
    }

    void draw() {
      String late = JobOrders.whyNoOtherSize(table);
      if (!late.isEmpty()) {
        against.add(late);
        return;
      }
      try {
        wish.roles().forEach(this::resize);
        // Whoever replaces takes its place before those that are new look for a free one.
        wish.replace().forEach(this::replace);
        wish.remove().forEach(this::remove);
        wish.add().forEach(this::add);
        counts.forEach(this::count);
      } catch (PliantException e) {
        against.add(String.valueOf(e.getMessage()));
      }
    }

    private boolean knows(String role) {
      boolean known = table.plan().role(role) != null;
      if (!known) {
        against.add(
            "this job has no role '%s'; it has %s."
                .formatted(
                    role, table.plan().roles().stream().map(JobPlan.RolePlan::role).toList()));
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
      NodeResources then = asked.resources().of(now);
      if (!then.equals(now)) {
        events.add(new NodeEvent.RoleResized(role, then));
        done.add("%s nodes that are made from now on get %s".formatted(role, then.describe()));
      }
    }

    private void more(String role, int difference) {
      counts.put(role, counts.getOrDefault(role, table.wish(role)) + difference);
    }

    private void add(Wish.NewNode asked) {
      String role = asked.role();
      if (!knows(role)) {
        return;
      }
      if (!table.phase().wantsNodes()) {
        against.add("the job rests; a node can be added once it goes on.");
        return;
      }
      more(role, 1);
      NodeId node = next(role);
      NodeResources resources = asked.resources().of(table.newResources(role));
      added.add(new NodeEvent.NodeAdded(node, resources, null, 0, 0, 0));
      done.add("%s is started with %s".formatted(node, resources.describe()));
    }

    private NodeId next(String role) {
      int number = numbers.getOrDefault(role, table.nextNumber(role));
      numbers.put(role, number + 1);
      return new NodeId(role, number);
    }

    private void remove(NodeId id) {
      if (leaves(id) != null) {
        more(id.role(), -1);
        done.add("%s is told to go".formatted(id));
      }
    }

    private void replace(Wish.Replacement asked) {
      Node old = leaves(asked.node());
      if (old == null) {
        return;
      }
      NodeId node = next(old.id().role());
      NodeResources resources = asked.resources().of(old.resources());
      added.add(
          new NodeEvent.NodeAdded(node, resources, old.id(), old.restarts(), old.streak(), 0));
      done.add("%s takes the place of %s, with %s".formatted(node, old.id(), resources.describe()));
    }

    /// The node that is to go, or null where it cannot.
    private @Nullable Node leaves(NodeId id) {
      Node node = table.node(id);
      if (node == null || !node.staying()) {
        against.add(
            "there is no node %s that is to stay; there are %s."
                .formatted(
                    id,
                    table.nodes().stream().filter(Node::staying).map(Node::id).limit(16).toList()));
        return null;
      }
      if (!released.add(id)) {
        against.add("node %s is named twice.".formatted(id));
        return null;
      }
      return node;
    }

    private void count(String role, int count) {
      JobPlan.RolePlan bounds = Objects.requireNonNull(table.plan().role(role));
      if (count < bounds.min() || count > bounds.max()) {
        against.add(
            "%,d nodes of role %s are asked for; this job takes from %,d to %,d."
                .formatted(count, role, bounds.min(), bounds.max()));
      } else if (count != table.wish(role)) {
        events.add(new NodeEvent.Scaled(role, count));
        done.add("%s: from %,d to %,d nodes".formatted(role, table.wish(role), count));
      }
    }

    Outcome outcome() {
      boolean refused = !against.isEmpty();
      String message =
          refused
              ? String.join(" ", against)
              : done.isEmpty() ? "all is so already" : String.join("; ", done);
      Wish.Taken taken = new Wish.Taken(wish.source(), wish.generation(), !refused, message);
      List<NodeEvent> all = new ArrayList<>();
      if (!refused) {
        all.addAll(events);
        if (!released.isEmpty()) {
          all.add(new NodeEvent.NodesReleased(List.copyOf(released)));
        }
        all.addAll(added);
      }
      all.add(new NodeEvent.WishTaken(taken));
      return new Outcome(new Ruling(all, List.of(decision(refused, message))), taken);
    }

    private Decision decision(boolean refused, String message) {
      List<Input> inputs = new ArrayList<>();
      inputs.add(new Input("who", wish.who()));
      inputs.add(new Input("generation", Long.toString(wish.generation())));
      for (JobPlan.RolePlan role : table.plan().roles()) {
        inputs.add(
            new Input(
                role.role(),
                "%d wished, of %d to %d"
                    .formatted(table.wish(role.role()), role.min(), role.max())));
      }
      return new Decision(
          "job " + table.plan().job(),
          refused ? "wish-refused" : "wish-taken",
          inputs,
          refused
              ? List.of(
                  new Rejected(
                      "do what can be done of it", "a wish is done as a whole or not at all"))
              : List.of(),
          refused ? "nothing is changed: " + message : message);
    }
  }
}
