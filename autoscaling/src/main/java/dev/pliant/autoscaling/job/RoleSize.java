package dev.pliant.autoscaling.job;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeResources;
import dev.pliant.model.PliantException;

/// How many nodes a role has, and what each of them has.
public record RoleSize(int count, NodeResources each) {
  public RoleSize {
    if (count < 0 || count > JobPlan.MAX_NODES) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "a role has from 0 to %,d nodes, not %,d.".formatted(JobPlan.MAX_NODES, count));
    }
  }

  public RoleSize withCount(int newCount) {
    return new RoleSize(newCount, each);
  }

  public RoleSize withEach(NodeResources resources) {
    return new RoleSize(count, resources);
  }
}
