package dev.pliant.master.nodes;

import dev.pliant.model.NodeId;
import dev.pliant.model.ResourceChange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What somebody outside wishes of a job's nodes, all of it or nothing. Each generation of a source
/// is taken up once, however often it is told.
///
/// @param source names it for ever: no other wish ever has the same
/// @param generation grows with each change of it
/// @param who for people: where it stands
/// @param roles how many nodes of which size
/// @param add nodes to have beside those that are wished
/// @param remove nodes that are to go, and not to be replaced
/// @param replace nodes whose place others of another size are to take
public record Wish(
    String source,
    long generation,
    String who,
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
  /// @param message for people: what was done, or why nothing
  public record Taken(String source, long generation, boolean done, String message) {}
}
