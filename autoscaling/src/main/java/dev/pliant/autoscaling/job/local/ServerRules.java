package dev.pliant.autoscaling.job.local;

import dev.pliant.autoscaling.job.Allocation;
import dev.pliant.autoscaling.job.Amounts;
import dev.pliant.autoscaling.job.AutoScalingSettings.LocalSettings;
import dev.pliant.autoscaling.job.AutoScalingSettings.SizeSettings;
import dev.pliant.autoscaling.job.Goal;
import dev.pliant.autoscaling.job.NoPlanReason;
import dev.pliant.autoscaling.job.OptimizerInput;
import dev.pliant.autoscaling.job.PlanAnswer;
import dev.pliant.autoscaling.job.PlanBuilder;
import dev.pliant.autoscaling.job.RoleSize;
import dev.pliant.autoscaling.job.Roles;
import dev.pliant.autoscaling.job.local.UsageWindow.ServerLoad;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// How many parameter servers a job needs, and which of them need more cores.
record ServerRules(LocalSettings settings, SizeSettings size) {

  /// PS_INITIAL: `W = limitCpu/(psCpu+workerCpu)`, not rounded; `PS = ⌈(limitCpu −
  /// W·workerCpu)/(the most cores of a server)⌉`; `memory = ⌊1.2·(the most used)⌋`.
  PlanAnswer initial(OptimizerInput input) {
    if (!input.job().hasServers()) {
      return PlanAnswer.none(NoPlanReason.NO_SERVERS);
    }
    Double limitCpu = input.limitCpu();
    if (limitCpu == null) {
      return PlanAnswer.none(NoPlanReason.NO_LIMITS);
    }
    UsageWindow window = UsageWindow.of(input, settings.samples());
    if (!window.knowsServers() || !window.knowsWorkers()) {
      return PlanAnswer.none(NoPlanReason.NO_STATISTICS);
    }
    double serverCpu = 0;
    double usedMemory = 0;
    for (ServerLoad load : window.servers().values()) {
      serverCpu = Math.max(serverCpu, load.configuredCpu());
      usedMemory = Math.max(usedMemory, load.maxMemoryMib());
    }
    PlanBuilder plan = needs(new PlanBuilder(Rule.INITIAL_SERVERS, Goal.SPEED), window, input);
    plan.amount(InputName.LARGEST_SERVER_CPU, serverCpu).mib(InputName.SERVER_MEMORY, usedMemory);
    if (!(window.cpuPerWorker() > 0)) {
      return plan.none(NoPlanReason.SERVERS_UNUSED);
    }
    if (serverCpu == 0) {
      return plan.none(NoPlanReason.SIZE_UNKNOWN);
    }
    double workers = limitCpu / window.cpuPerWorker();
    double servers = Amounts.ceil((limitCpu - workers * window.workerCpu()) / serverCpu);
    double memory =
        Math.max(
            Math.floor(usedMemory * (1 + settings.serverMemoryMargin())), settings.minMemoryMib());
    plan.amount(InputName.WORKERS_WITHIN_LIMITS, workers);
    plan.role(
        Roles.SERVER,
        new RoleSize(
            Amounts.between(1, servers, JobPlan.MAX_NODES),
            resources(input).withCpu(serverCpu).withMemoryMib((long) memory)));
    plan.reject(Alternative.MORE_SERVERS, Objection.WORKERS_NEED_THE_REST);
    plan.reject(Alternative.FEWER_SERVERS, Objection.SERVERS_WOULD_BE_OVERLOADED);
    return plan.build(Allocation.NONE);
  }

  private static NodeResources resources(OptimizerInput input) {
    RoleSize now = input.now().role(Roles.SERVER);
    return now == null ? NodeResources.UNBOUNDED : now.each();
  }

  private static PlanBuilder needs(PlanBuilder plan, UsageWindow window, OptimizerInput input) {
    return plan.limits(input)
        .count(InputName.SAMPLES, window.records())
        .count(InputName.WORKERS, window.workers())
        .count(InputName.SERVERS, window.servers().size())
        .amount(InputName.SERVER_CPU_PER_WORKER, window.serverCpuPerWorker())
        .amount(InputName.WORKER_CPU, window.workerCpu());
  }

  /// A server is hot if `mean/config ≥ 0.9`. `f = max(1, ⌊limitCpu/(psCpu+workerCpu)⌋/now)`, and at
  /// most `32/mean` of each hot one. Every server gets `round(mean·f, 1)` cores where that is above
  /// what it has. Where the limits leave less, all get the same share of their increase.
  PlanAnswer hot(OptimizerInput input) {
    if (!input.job().hasServers()) {
      return PlanAnswer.none(NoPlanReason.NO_SERVERS);
    }
    UsageWindow window = UsageWindow.of(input, settings.samples());
    if (!window.knowsServers() || !window.knowsWorkers()) {
      return PlanAnswer.none(NoPlanReason.NO_STATISTICS);
    }
    PlanBuilder plan = needs(new PlanBuilder(Rule.HOT_SERVERS, Goal.SPEED), window, input);
    plan.amount(InputName.SERVER_UTILISATION, window.maxServerUtilisation());
    double factor = growth(window, input);
    boolean hot = false;
    for (ServerLoad load : window.servers().values()) {
      if (load.meanUtilisation() >= settings.serverHot() - Amounts.ROUNDING) {
        hot = true;
        factor = Math.min(factor, size.maxCpu() / load.meanCpu());
      }
    }
    if (!hot) {
      return plan.none(NoPlanReason.NO_HOT_SERVER);
    }
    plan.amount(InputName.FACTOR, factor);
    return enlarge(plan, factor, window, input);
  }

  /// How many times the workers of now the limits allow.
  private static double growth(UsageWindow window, OptimizerInput input) {
    Double limitCpu = input.limitCpu();
    if (limitCpu == null) {
      return Double.MAX_VALUE;
    }
    return Math.max(1, Amounts.quotient(limitCpu, window.cpuPerWorker()) / window.workers());
  }

  private PlanAnswer enlarge(
      PlanBuilder plan, double factor, UsageWindow window, OptimizerInput input) {
    SortedMap<NodeId, Double> more = new TreeMap<>();
    double sum = 0;
    for (Map.Entry<NodeId, ServerLoad> server : window.servers().entrySet()) {
      NodeResources has = input.now().nodes().get(server.getKey());
      double wanted = Math.min(Amounts.tenth(server.getValue().meanCpu() * factor), size.maxCpu());
      if (has != null && has.cpu() > 0 && wanted > has.cpu() + Amounts.ROUNDING) {
        more.put(server.getKey(), wanted - has.cpu());
        sum += wanted - has.cpu();
      }
    }
    if (more.isEmpty()) {
      return plan.none(NoPlanReason.UNCHANGED);
    }
    double share = Math.min(1, cpuLeft(input) / sum);
    if (share < 1) {
      plan.reject(Alternative.LARGER_NODES, Objection.JOB_LIMITS);
    }
    more.forEach((node, cpu) -> {
      NodeResources has = input.now().resources(node);
      double enlarged =
          share < 1 ? Amounts.tenthBelow(has.cpu() + cpu * share) : Amounts.tenth(has.cpu() + cpu);
      if (enlarged > has.cpu()) {
        plan.node(node, has.withCpu(enlarged));
      }
    });
    plan.reject(Alternative.MORE_WORKERS, Objection.SERVERS_WOULD_BE_OVERLOADED);
    return plan.nodes().isEmpty() ? plan.none(NoPlanReason.JOB_LIMITS) : plan.build(input.now());
  }

  /// What the job's limits leave beside all its nodes.
  private static double cpuLeft(OptimizerInput input) {
    Double limit = input.limitCpu();
    if (limit == null) {
      return Double.MAX_VALUE;
    }
    double used = 0;
    for (NodeResources node : input.now().nodes().values()) {
      used += node.cpu();
    }
    return Math.max(0, limit - used);
  }
}
