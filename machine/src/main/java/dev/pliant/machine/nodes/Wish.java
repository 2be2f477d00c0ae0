package dev.pliant.machine.nodes;

import dev.pliant.model.NodeId;
import dev.pliant.model.ResourceChange;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What somebody outside wishes of a job's nodes, all of it or nothing. Each generation of a source
/// is taken up once, however often it is told.
///
/// @param source names it for ever: no other wish ever has the same
/// @param generation grows with each change of it
/// @param who for people: where it stands
/// @param unknownRole what comes of a role that the job has not
/// @param roles how many nodes of which size
/// @param add nodes to have beside those that are wished
/// @param remove nodes that are to go, and not to be replaced
/// @param replace nodes whose place others of another size are to take; one that the counts of this
///   very wish bring is made of that size
public record Wish(
    String source,
    long generation,
    String who,
    UnknownRole unknownRole,
    List<RoleWish> roles,
    List<NewNode> add,
    List<NodeId> remove,
    List<Replacement> replace) {

  public Wish {
    roles = List.copyOf(roles);
    add = List.copyOf(add);
    remove = List.copyOf(remove);
    replace = List.copyOf(replace);
  }

  /// One that has no use for a role that the job has not.
  public Wish(
      String source,
      long generation,
      String who,
      List<RoleWish> roles,
      List<NewNode> add,
      List<NodeId> remove,
      List<Replacement> replace) {
    this(source, generation, who, UnknownRole.REFUSED, roles, add, remove, replace);
  }

  /// How many of its nodes the wish says itself, or null.
  @Nullable Integer count(String role) {
    return roles.stream()
        .filter(wished -> wished.role().equals(role))
        .map(RoleWish::count)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  /// What comes of a role that the job has not.
  public enum UnknownRole {
    /// The wish is refused: who names a role in it means that role.
    REFUSED,
    /// It is left out, and the answer says so: such a wish speaks of every role there is.
    LEFT_OUT
  }

  /// How many nodes of a role, and of which size those are that are made from now on.
  ///
  /// @param count null where their number is to stay as it is
  public record RoleWish(String role, @Nullable Integer count, ResourceChange resources) {}

  /// One more node of a role.
  public record NewNode(String role, ResourceChange resources) {}

  /// A node that is to be replaced.
  public record Replacement(NodeId node, ResourceChange resources) {}

  /// What came of a wish.
  ///
  /// @param done whether it was done; else it was refused
  /// @param doneBefore whether an earlier generation of it was done
  /// @param message for people: what was done, or why nothing
  public record Taken(
      String source, long generation, boolean done, boolean doneBefore, String message) {
    boolean everDone() {
      return done || doneBefore;
    }
  }
}
