package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.PlanAnswer.NoPlan;
import dev.pliant.autoscaling.job.PlanAnswer.Planned;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceLimits;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Jobs, sizes and statistics for tests.
public final class Jobs {
  public static final long NOW = 10_000_000;

  private Jobs() {}

  /// A job of up to 15 parameter servers and 60 workers.
  public static JobConstraints withServers(@Nullable Double cpu, @Nullable Long memoryMib) {
    return job(
        cpu,
        memoryMib,
        Map.of(Roles.SERVER, RoleConstraints.of(1, 15), Roles.WORKER, RoleConstraints.of(1, 60)));
  }

  /// A job of workers alone.
  public static JobConstraints group(@Nullable Double cpu, RoleConstraints workers) {
    return job(cpu, null, Map.of(Roles.WORKER, workers));
  }

  public static JobConstraints job(
      @Nullable Double cpu, @Nullable Long memoryMib, Map<String, RoleConstraints> roles) {
    return new JobConstraints(new TreeMap<>(roles), new ResourceLimits(cpu, memoryMib, null, null));
  }

  public static NodeResources size(double cpu, long memoryMib) {
    return new NodeResources(cpu, memoryMib, 0);
  }

  /// Roles of which every node is there.
  public static Allocation running(Map<String, RoleSize> roles) {
    SortedMap<NodeId, NodeResources> nodes = new TreeMap<>();
    roles.forEach((role, size) -> {
      for (int i = 0; i < size.count(); i++) {
        nodes.put(new NodeId(role, i), size.each());
      }
    });
    return new Allocation(new TreeMap<>(roles), nodes);
  }

  /// Every server uses so much, and every worker.
  public static UsageRecord usage(
      long atMillis,
      Allocation now,
      double serverCpu,
      double serverMemory,
      double workerCpu,
      double workerMemory) {
    List<NodeUsage> nodes = new ArrayList<>();
    now.nodes()
        .forEach((node, size) -> {
          boolean server = node.role().equals(Roles.SERVER);
          nodes.add(
              new NodeUsage(
                  node,
                  size,
                  server ? serverCpu : workerCpu,
                  server ? serverMemory : workerMemory));
        });
    return new UsageRecord(atMillis, nodes);
  }

  public static JobStatistics statistics(UsageRecord... usage) {
    return new JobStatistics(List.of(usage), List.of(), ModelFacts.UNKNOWN, FreeRoom.UNKNOWN);
  }

  public static OptimizerInput input(JobConstraints job, Allocation now, JobStatistics statistics) {
    return new OptimizerInput(job, now, statistics, Long.MIN_VALUE, NOW);
  }

  /// A machine with so many cores and so much memory.
  public static FreeRoom room(double cpu, double memoryMib) {
    return new FreeRoom(List.of(new FreeRoom.Machine(cpu, memoryMib, 0)));
  }

  public static ResourcePlan plan(PlanAnswer answer) {
    return switch (answer) {
      case Planned(ResourcePlan plan) -> plan;
      case NoPlan none -> throw new AssertionError("no plan: " + none);
    };
  }

  public static NoPlanReason reason(PlanAnswer answer) {
    return switch (answer) {
      case Planned planned -> throw new AssertionError("a plan: " + planned);
      case NoPlan(NoPlanReason reason, var _) -> reason;
    };
  }
}
