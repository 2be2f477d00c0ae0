package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// A plan that was carried out, and what it changed.
///
/// @param atMillis when
/// @param rolesBefore the roles that it names, as they were; without those that were not there
/// @param nodesBefore the nodes that it names, as they were
/// @param judged whether its outcome is known, or will never be
public record AppliedPlan(
    long atMillis,
    ResourcePlan plan,
    SortedMap<String, RoleSize> rolesBefore,
    SortedMap<NodeId, NodeResources> nodesBefore,
    boolean judged) {
  public AppliedPlan {
    rolesBefore = Collections.unmodifiableSortedMap(new TreeMap<>(rolesBefore));
    nodesBefore = Collections.unmodifiableSortedMap(new TreeMap<>(nodesBefore));
  }

  /// The plan, carried out on `now`. Only one that is to make the training faster is judged.
  static AppliedPlan of(ResourcePlan plan, Allocation now, long atMillis) {
    SortedMap<String, RoleSize> roles = new TreeMap<>(now.roles());
    roles.keySet().retainAll(plan.roles().keySet());
    SortedMap<NodeId, NodeResources> nodes = new TreeMap<>(now.nodes());
    nodes.keySet().retainAll(plan.nodes().keySet());
    return new AppliedPlan(atMillis, plan, roles, nodes, plan.goal() != Goal.SPEED);
  }

  AppliedPlan asJudged() {
    return new AppliedPlan(atMillis, plan, rolesBefore, nodesBefore, true);
  }

  /// Whether it changed parameter servers of a job that ran.
  boolean changedServers() {
    return plan.goal() != Goal.START
        && plan.goal() != Goal.MEMORY
        && (plan.roles().containsKey(Roles.SERVER)
            || plan.nodes().keySet().stream().anyMatch(n -> n.role().equals(Roles.SERVER)));
  }
}
