package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Choice;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// Sizes that a job is to have from now on, with the decision that led to them. It names what
/// changes, and nothing else.
///
/// @param roles the count and resources of roles
/// @param nodes the resources of single nodes
/// @param choice what was read, which rule fired, what was rejected, and the speed that is expected
public record ResourcePlan(
    SortedMap<String, RoleSize> roles,
    SortedMap<NodeId, NodeResources> nodes,
    Goal goal,
    Choice choice) {
  public ResourcePlan {
    if (roles.isEmpty() && nodes.isEmpty()) {
      throw new IllegalArgumentException("a plan that changes nothing is no plan");
    }
    roles = Collections.unmodifiableSortedMap(new TreeMap<>(roles));
    nodes = Collections.unmodifiableSortedMap(new TreeMap<>(nodes));
  }

  /// What the job has once the plan is carried out, as far as nodes are there.
  public Allocation appliedTo(Allocation now) {
    return now.with(roles, nodes);
  }
}
