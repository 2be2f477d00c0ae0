package dev.pliant.machine.nodes;

import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceSum;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/// What the nodes of a job may use together: those that stay, those that failed and are yet to be
/// judged, and those that are to take another's place. A node that is told to go counts no more:
/// who replaces it counts instead. One that stays until its successor runs counts beside it.
final class NodeUse {
  private NodeUse() {}

  static ResourceSum now(NodeTable table) {
    return sum(table, _ -> true);
  }

  static ResourceSum without(NodeTable table, NodeId node) {
    return sum(table, id -> !id.equals(node));
  }

  /// How much memory a node that failed may have within the job's limits. What its others leave is
  /// shared by all that ran out of memory and are yet to be judged: none takes it from the next.
  static long memoryLeftMib(NodeTable table, Node node) {
    long left = table.plan().limits().memoryLeftMib(without(table, node.id()));
    long now = node.resources().memoryMib();
    if (left == Long.MAX_VALUE || left <= now) {
      return left;
    }
    long sharing = Math.max(1, table.nodes().stream().filter(NodeUse::wantsMemory).count());
    return now + Math.ceilDiv(left - now, sharing);
  }

  private static boolean wantsMemory(Node node) {
    return node.awaitsJudgement()
        && node.reason() == ExitReason.OOM
        && node.resources().memoryMib() > 0;
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
    for (Place place : Place.inOrder(table, role)) {
      if (counts.test(place.id())) {
        sizes.add(place.resources());
      }
    }
    return sizes;
  }
}
