package dev.pliant.autoscaling.job.local;

import dev.pliant.autoscaling.job.Allocation;
import dev.pliant.autoscaling.job.Amounts;
import dev.pliant.autoscaling.job.AutoScalingSettings.LocalSettings;
import dev.pliant.autoscaling.job.Goal;
import dev.pliant.autoscaling.job.JobStatistics;
import dev.pliant.autoscaling.job.NoPlanReason;
import dev.pliant.autoscaling.job.OptimizerInput;
import dev.pliant.autoscaling.job.PlanAnswer;
import dev.pliant.autoscaling.job.PlanBuilder;
import dev.pliant.autoscaling.job.RoleSize;
import dev.pliant.autoscaling.job.Roles;
import dev.pliant.autoscaling.job.SpeedRun;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.util.List;
import java.util.Map;

/// How many workers the parameter servers can serve, and how large a worker is. With u, the highest
/// utilisation of a parameter server:
///
/// - no plan if `u > 0.95`, the speed ratio is below 0.2, or `u = 0`;
/// - `n = now`, or `⌊now·0.9/u⌋` where that is more;
/// - `cpu = max(mean, 1)`, `memory = max(⌊1.5·max⌋, 1024)`;
/// - `n = ⌊min(n, restCpu/cpu, restMemory/memory)⌋`, where rest is what the limits leave beside the
///   parameter servers.
record WorkerRule(LocalSettings settings) {

  PlanAnswer plan(Rule rule, OptimizerInput input) {
    if (!input.job().hasServers()) {
      return PlanAnswer.none(NoPlanReason.NO_SERVERS);
    }
    UsageWindow window = UsageWindow.of(input, settings.samples());
    if (!window.knowsServers() || !window.knowsWorkers()) {
      return PlanAnswer.none(NoPlanReason.NO_STATISTICS);
    }
    List<SpeedRun> runs =
        SpeedRun.of(input.statistics().speeds(), JobStatistics.KEPT_EACH_RUN, input.nowMillis());
    double used = window.maxServerUtilisation();
    double ratio = SpeedRun.ratio(runs);
    PlanBuilder plan = new PlanBuilder(rule, Goal.SPEED).limits(input);
    plan.count(InputName.SAMPLES, window.records())
        .count(InputName.WORKERS, window.workers())
        .amount(InputName.SERVER_UTILISATION, used)
        .amount(InputName.SPEED_RATIO, ratio)
        .amount(InputName.WORKER_CPU, window.workerCpu())
        .mib(InputName.WORKER_MEMORY, window.workerMemoryMib());
    if (used > settings.maxServerUtilisation()) {
      return plan.none(NoPlanReason.SERVERS_OVERLOADED);
    }
    if (ratio < settings.minSpeedRatio()) {
      return plan.none(NoPlanReason.WORKERS_ADD_TOO_LITTLE_SPEED);
    }
    if (used == 0) {
      return plan.none(NoPlanReason.SERVERS_UNUSED);
    }
    return sized(plan, window, used, ratio, runs, input);
  }

  private PlanAnswer sized(
      PlanBuilder plan,
      UsageWindow window,
      double used,
      double ratio,
      List<SpeedRun> runs,
      OptimizerInput input) {
    int now = window.workers();
    double wanted = Math.max(now, Amounts.floor(now * settings.serverOverload() / used));
    double cpu = Math.max(Math.ceil(window.workerCpu() * 1000) / 1000, settings.minCpu());
    double memory =
        Math.max(
            Math.floor(window.workerMemoryMib() * (1 + settings.workerMemoryMargin())),
            settings.minMemoryMib());
    double most = fits(input, cpu, memory);
    int count = (int) Math.min(Math.min(wanted, most), JobPlan.MAX_NODES);
    if (count < 1) {
      return plan.none(NoPlanReason.JOB_LIMITS);
    }
    plan.reject(
        Alternative.MORE_WORKERS,
        most < wanted ? Objection.JOB_LIMITS : Objection.SERVERS_WOULD_BE_OVERLOADED);
    RoleSize before = input.now().role(Roles.WORKER);
    NodeResources has = before == null ? NodeResources.UNBOUNDED : before.each();
    NodeResources each =
        new NodeResources(
            Math.min(cpu, 100_000), (long) Math.min(memory, 1L << 40), has.gpus(), has.diskMib());
    plan.role(Roles.WORKER, new RoleSize(count, each));
    if (!runs.isEmpty() && runs.getLast().workers() == now) {
      double speed = runs.getLast().recordsPerSecond();
      plan.amount(InputName.SPEED, speed);
      plan.expect(speed + (count - now) * (speed / now) * Math.min(1, ratio));
    }
    return plan.build(Allocation.NONE);
  }

  /// How many such workers the limits leave room for beside the parameter servers.
  private static double fits(OptimizerInput input, double cpu, double memory) {
    Double limitCpu = input.limitCpu();
    Long limitMemory = input.limitMemoryMib();
    double serverCpu = 0;
    double serverMemory = 0;
    for (Map.Entry<NodeId, NodeResources> node : input.now().nodes().entrySet()) {
      if (node.getKey().role().equals(Roles.SERVER)) {
        serverCpu += node.getValue().cpu();
        serverMemory += node.getValue().memoryMib();
      }
    }
    double fits = JobPlan.MAX_NODES;
    if (limitCpu != null) {
      fits = Math.min(fits, Amounts.quotient(limitCpu - serverCpu, cpu));
    }
    if (limitMemory != null) {
      fits = Math.min(fits, Amounts.quotient(limitMemory - serverMemory, memory));
    }
    return fits;
  }
}
