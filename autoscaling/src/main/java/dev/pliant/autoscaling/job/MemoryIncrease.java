package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.AutoScalingSettings.SizeSettings;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.ResourceSum;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import java.util.List;

/// More memory for nodes that ran out of it, or will: `max(plan, 2×current, user's)`, each increase
/// at most a step, no node above the most, and all together within the job's limits. What is left
/// of those is shared in the order of the nodes.
public final class MemoryIncrease {
  private MemoryIncrease() {}

  /// Adds the new sizes to `plan`.
  public static PlanAnswer plan(
      PlanBuilder plan, List<NodeId> nodes, OptimizerInput input, SizeSettings settings) {
    ResourceLimits limits = input.job().limits();
    long leftMib = limits.memoryLeftMib(ResourceSum.of(input.now().nodes().values()));
    if (limits.memoryMib() != null) {
      plan.mib(InputName.MEMORY_LEFT_BY_LIMITS, leftMib);
    }
    plan.mib(InputName.MOST_MEMORY, settings.maxMemoryMib());
    boolean atMost = false;
    for (NodeId node : nodes) {
      NodeResources has = input.now().nodes().get(node);
      if (has == null || has.memoryMib() == 0) {
        continue;
      }
      long wanted = wanted(node, has.memoryMib(), input, settings);
      atMost |= wanted <= has.memoryMib();
      long more = Math.min(wanted - has.memoryMib(), leftMib);
      if (more > 0) {
        leftMib -= more;
        plan.mib(InputName.MEMORY, has.memoryMib());
        plan.node(node, has.withMemoryMib(has.memoryMib() + more));
      }
    }
    if (plan.nodes().isEmpty()) {
      return plan.none(
          nodes.isEmpty()
              ? NoPlanReason.NO_STATISTICS
              : atMost ? NoPlanReason.AT_MOST_MEMORY : NoPlanReason.JOB_LIMITS);
    }
    plan.reject(Alternative.KEEP_SIZE, Objection.WOULD_RUN_OUT_OF_MEMORY_AGAIN);
    return plan.build(input.now());
  }

  private static long wanted(
      NodeId node, long hasMib, OptimizerInput input, SizeSettings settings) {
    RoleSize planned = input.now().role(node.role());
    RoleConstraints role = input.job().role(node.role());
    long wanted = (long) Math.floor(hasMib * settings.oomFactor());
    if (planned != null) {
      wanted = Math.max(wanted, planned.each().memoryMib());
    }
    if (role != null) {
      wanted = Math.max(wanted, role.given().memoryMib());
    }
    return Math.min(wanted, Math.min(hasMib + settings.oomStepMib(), settings.maxMemoryMib()));
  }
}
