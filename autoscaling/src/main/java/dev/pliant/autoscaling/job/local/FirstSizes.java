package dev.pliant.autoscaling.job.local;

import dev.pliant.autoscaling.job.Allocation;
import dev.pliant.autoscaling.job.Amounts;
import dev.pliant.autoscaling.job.AutoScalingSettings.LocalSettings;
import dev.pliant.autoscaling.job.Goal;
import dev.pliant.autoscaling.job.NoPlanReason;
import dev.pliant.autoscaling.job.OptimizerInput;
import dev.pliant.autoscaling.job.PlanAnswer;
import dev.pliant.autoscaling.job.PlanBuilder;
import dev.pliant.autoscaling.job.RoleSize;
import dev.pliant.autoscaling.job.Roles;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import org.jspecify.annotations.Nullable;

/// The CREATE plan: `cpu = min(⌈limitCpu/5⌉, 16)`, `memory = min(⌈limitMemory/5⌉, 8192)`, one
/// worker, and one parameter server where the job has any. What the limits do not name stays 0.
record FirstSizes(LocalSettings settings) {

  PlanAnswer plan(OptimizerInput input) {
    Double limitCpu = input.limitCpu();
    Long limitMemory = input.limitMemoryMib();
    if (limitCpu == null && limitMemory == null) {
      return PlanAnswer.none(NoPlanReason.NO_LIMITS);
    }
    int nodes = input.job().hasServers() ? 2 : 1;
    PlanBuilder plan = new PlanBuilder(Rule.FIRST_SIZES, Goal.START).limits(input);
    plan.count(InputName.NODES, settings.initialNodes());
    double cpu = limitCpu == null ? 0 : share(limitCpu, settings.initialMaxCpu());
    double memory = limitMemory == null ? 0 : share(limitMemory, settings.initialMaxMemoryMib());
    cpu = limitCpu == null ? 0 : Math.max(cpu, settings.minCpu());
    memory = limitMemory == null ? 0 : Math.max(memory, settings.minMemoryMib());
    if (isMore(nodes * cpu, limitCpu) || isMore(nodes * memory, limitMemory)) {
      return plan.none(NoPlanReason.LIMITS_TOO_SMALL);
    }
    RoleSize size = new RoleSize(1, new NodeResources(cpu, (long) memory, 0));
    plan.role(Roles.WORKER, size);
    if (input.job().hasServers()) {
      plan.role(Roles.SERVER, size);
    }
    plan.reject(Alternative.MORE_NODES, Objection.NOTHING_MEASURED_YET);
    return plan.build(Allocation.NONE);
  }

  private double share(double limit, double most) {
    return Math.min(Amounts.ceil(limit / settings.initialNodes()), most);
  }

  private static boolean isMore(double sum, @Nullable Number limit) {
    return limit != null && sum > limit.doubleValue() + Amounts.ROUNDING;
  }
}
