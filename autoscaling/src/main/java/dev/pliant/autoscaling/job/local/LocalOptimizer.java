package dev.pliant.autoscaling.job.local;

import dev.pliant.autoscaling.job.AutoScalingSettings;
import dev.pliant.autoscaling.job.AutoScalingSettings.LocalSettings;
import dev.pliant.autoscaling.job.AutoScalingSettings.SizeSettings;
import dev.pliant.autoscaling.job.Goal;
import dev.pliant.autoscaling.job.JobStage;
import dev.pliant.autoscaling.job.MemoryIncrease;
import dev.pliant.autoscaling.job.NoPlanReason;
import dev.pliant.autoscaling.job.OptimizerInput;
import dev.pliant.autoscaling.job.PlanAnswer;
import dev.pliant.autoscaling.job.PlanBuilder;
import dev.pliant.autoscaling.job.ResourceOptimizer;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Rule;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Finds sizes from a job's own statistics, without a service for the whole cluster.
///
/// | stage | what it plans |
/// |---|---|
/// | CREATE | one parameter server and one worker, from the job's limits ([FirstSizes]) |
/// | WORKER_INITIAL | workers ([WorkerRule]) |
/// | PS_INITIAL | parameter servers for as many workers as the limits allow ([ServerRules]) |
/// | RUNNING | hot parameter servers ([ServerRules]), else workers ([WorkerRule]) |
public final class LocalOptimizer implements ResourceOptimizer {
  private final LocalSettings settings;
  private final SizeSettings size;

  public LocalOptimizer(AutoScalingSettings settings) {
    this.settings = settings.local();
    this.size = settings.size();
  }

  @Override
  public PlanAnswer optimize(Question question, OptimizerInput input) {
    return switch (question.stage()) {
      case CREATE -> new FirstSizes(settings).plan(input);
      case WORKER_INITIAL -> workers(Rule.INITIAL_WORKERS, settings, input);
      case PS_INITIAL -> new ServerRules(settings, size).initial(input);
      case RUNNING -> running(question, input);
    };
  }

  private PlanAnswer running(Question question, OptimizerInput input) {
    PlanAnswer answer =
        question.servers()
            ? new ServerRules(settings, size).hot(input)
            : PlanAnswer.none(NoPlanReason.NO_HOT_SERVER);
    return answer instanceof PlanAnswer.NoPlan && question.workers()
        ? workers(Rule.WORKERS_BY_SERVER_LOAD, settings, input)
        : answer;
  }

  private static PlanAnswer workers(Rule rule, LocalSettings settings, OptimizerInput input) {
    return new WorkerRule(settings).plan(rule, input);
  }

  @Override
  public PlanAnswer recoverFromOom(List<NodeId> nodes, JobStage stage, OptimizerInput input) {
    PlanBuilder plan = new PlanBuilder(Rule.OUT_OF_MEMORY, Goal.MEMORY);
    plan.count(InputName.NODES, nodes.size());
    return MemoryIncrease.plan(plan, nodes, input, size);
  }

  /// The names are those of the rows: `create`, `worker-initial`, `ps-initial`, `workers`,
  /// `hot-ps`; the parameters are the local settings.
  @Override
  public PlanAnswer optimizeBy(
      String optimizer, SortedMap<String, Double> parameters, OptimizerInput input) {
    LocalSettings changed;
    try {
      changed = with(parameters);
    } catch (PliantException e) {
      return PlanAnswer.none(
          NoPlanReason.BAD_PARAMETER,
          Input.text(InputName.MESSAGE, String.valueOf(e.getMessage())));
    }
    return switch (optimizer) {
      case "create" -> new FirstSizes(changed).plan(input);
      case "worker-initial" -> workers(Rule.INITIAL_WORKERS, changed, input);
      case "ps-initial" -> new ServerRules(changed, size).initial(input);
      case "workers" -> workers(Rule.WORKERS_BY_SERVER_LOAD, changed, input);
      case "hot-ps" -> new ServerRules(changed, size).hot(input);
      default ->
          PlanAnswer.none(
              NoPlanReason.UNKNOWN_OPTIMIZER, Input.text(InputName.OPTIMIZER, optimizer));
    };
  }

  private LocalSettings with(SortedMap<String, Double> parameters) {
    SortedMap<String, Double> left = new TreeMap<>(parameters);
    LocalSettings changed =
        new LocalSettings(
            (int) take(left, "samples", settings.samples()),
            take(left, "initial-max-cpu", settings.initialMaxCpu()),
            (long) take(left, "initial-max-memory-mib", settings.initialMaxMemoryMib()),
            take(left, "min-cpu", settings.minCpu()),
            (long) take(left, "min-memory-mib", settings.minMemoryMib()),
            (int) take(left, "initial-nodes", settings.initialNodes()),
            take(left, "server-overload", settings.serverOverload()),
            take(left, "server-hot", settings.serverHot()),
            take(left, "server-memory-margin", settings.serverMemoryMargin()),
            take(left, "worker-memory-margin", settings.workerMemoryMargin()),
            take(left, "min-speed-ratio", settings.minSpeedRatio()),
            take(left, "max-server-utilisation", settings.maxServerUtilisation()));
    if (!left.isEmpty()) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "The local optimiser has no parameter '%s'.".formatted(left.firstKey()));
    }
    return changed;
  }

  private static double take(SortedMap<String, Double> from, String name, double otherwise) {
    Double value = from.remove(name);
    return value == null ? otherwise : value;
  }
}
