package dev.pliant.master.nodes;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceSum;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// What the nodes of a job may use together: those that stay, those that failed and are yet to be
/// judged, and those that are to take another's place. A node that is told to go counts no more:
/// who replaces it counts instead.
final class NodeUse {
  private NodeUse() {}

  static ResourceSum now(NodeTable table) {
    return sum(table, _ -> true);
  }

  static ResourceSum without(NodeTable table, NodeId node) {
    return sum(table, id -> !id.equals(node));
  }

  /// How many more of a role, `most` at the most, the job's limits have room for. New ones may be
  /// larger than the bounds of the role were made for: others may have needed more memory.
  static int room(NodeTable table, String role, int most) {
    ResourceSum now = now(table);
    NodeResources each = table.newResources(role);
    int room = most;
    while (room > 0 && !table.plan().limits().exceeded(now, now.plus(room, each)).isEmpty()) {
      room--;
    }
    return room;
  }

  private static ResourceSum sum(NodeTable table, Predicate<NodeId> counts) {
    List<NodeResources> sizes = new ArrayList<>();
    table.roles().forEach(role -> sizes.addAll(of(table, role, counts)));
    return ResourceSum.of(sizes);
  }

  /// The sizes of a role's nodes, of those first that would go last.
  static List<NodeResources> of(NodeTable table, String role, Predicate<NodeId> counts) {
    List<NodeResources> sizes = new ArrayList<>();
    for (Node node : table.nodes()) {
      boolean there = node.staying() || node.awaitsJudgement();
      if (node.isOf(role) && there && counts.test(node.id())) {
        sizes.add(node.resources());
      }
    }
    for (Relaunch relaunch : table.relaunches()) {
      if (relaunch.of().role().equals(role) && counts.test(relaunch.of())) {
        sizes.add(relaunch.resources());
      }
    }
    return sizes;
  }
}
