package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What a job has now.
///
/// @param roles the size that each role is to have, by role
/// @param nodes the nodes that are there, by id
public record Allocation(
    SortedMap<String, RoleSize> roles, SortedMap<NodeId, NodeResources> nodes) {
  /// Nothing has started.
  public static final Allocation NONE =
      new Allocation(Collections.emptySortedMap(), Collections.emptySortedMap());

  public Allocation {
    roles = Collections.unmodifiableSortedMap(new TreeMap<>(roles));
    nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
  }

  public @Nullable RoleSize role(String role) {
    return roles.get(role);
  }

  /// How many nodes the role is to have; 0 where it has none.
  public int count(String role) {
    RoleSize size = roles.get(role);
    return size == null ? 0 : size.count();
  }

  /// How many workers there are to be, the chief included.
  public int workers() {
    return count(Roles.WORKER) + count(Roles.CHIEF);
  }

  /// How many nodes of workers are there now, the chief included.
  public int workersAlive() {
    int alive = 0;
    for (NodeId node : nodes.keySet()) {
      if (Roles.isWorker(node.role())) {
        alive++;
      }
    }
    return alive;
  }

  /// What the node has, or what nodes of its role get where it is not there.
  public NodeResources resources(NodeId node) {
    NodeResources has = nodes.get(node);
    if (has != null) {
      return has;
    }
    RoleSize role = roles.get(node.role());
    return role == null ? NodeResources.UNBOUNDED : role.each();
  }

  /// With these sizes of roles and single nodes, as far as nodes are there. The nodes of a role
  /// that is resized are resized too.
  public Allocation with(
      SortedMap<String, RoleSize> newRoles, SortedMap<NodeId, NodeResources> newNodes) {
    SortedMap<String, RoleSize> allRoles = new TreeMap<>(roles);
    allRoles.putAll(newRoles);
    SortedMap<NodeId, NodeResources> allNodes = new TreeMap<>(nodes);
    allNodes.replaceAll((node, has) -> resized(node, has, newRoles));
    newNodes.forEach((node, resources) -> allNodes.computeIfPresent(node, (_, _) -> resources));
    return new Allocation(allRoles, allNodes);
  }

  private NodeResources resized(
      NodeId node, NodeResources has, SortedMap<String, RoleSize> newRoles) {
    RoleSize before = roles.get(node.role());
    RoleSize after = newRoles.get(node.role());
    if (after == null) {
      return has;
    }
    return before != null && before.each().equals(after.each()) ? has : after.each();
  }
}
