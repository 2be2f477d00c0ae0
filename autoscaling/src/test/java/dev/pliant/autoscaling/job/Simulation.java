package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.JobResourceOptimizer.Round;
import dev.pliant.autoscaling.job.local.LocalOptimizer;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.ToDoubleFunction;

/// A job that does what it is planned to do, in virtual time: nodes are there at once, and
/// statistics are taken before each round.
final class Simulation {
  final JobConstraints job;
  final JobResourceOptimizer optimizer;
  final List<ResourcePlan> plans = new ArrayList<>();
  final List<PlanOutcome> outcomes = new ArrayList<>();
  ScalingState state = ScalingState.FIRST;
  Allocation now = Allocation.NONE;
  JobStatistics statistics = JobStatistics.EMPTY;
  FreeRoom room = FreeRoom.UNKNOWN;
  List<NodeId> leaking = List.of();
  long millis = 1_000_000;

  /// How many records a second so many nodes train.
  ToDoubleFunction<Allocation> speed = allocation -> 10.0 * allocation.workers();

  ToDoubleFunction<NodeId> cpu = _ -> 1;
  ToDoubleFunction<NodeId> memory = _ -> 500;

  Simulation(JobConstraints job, AutoScalingSettings settings) {
    this.job = job;
    this.optimizer = new JobResourceOptimizer(new LocalOptimizer(settings), settings);
  }

  PlanAnswer round() {
    measure();
    return decide();
  }

  void rounds(int rounds) {
    for (int i = 0; i < rounds; i++) {
      round();
    }
  }

  private void measure() {
    if (now.nodes().isEmpty()) {
      return;
    }
    List<NodeUsage> usage = new ArrayList<>();
    now.nodes()
        .forEach((node, size) ->
            usage.add(
                new NodeUsage(node, size, cpu.applyAsDouble(node), memory.applyAsDouble(node))));
    statistics =
        statistics
            .with(new UsageRecord(millis, usage))
            .with(
                new SpeedSample(
                    millis, now.workers(), now.count(Roles.SERVER), speed.applyAsDouble(now)))
            .withRoom(room);
  }

  /// Decides with the statistics of the last round.
  PlanAnswer decide() {
    Round round = optimizer.round(state, job, now, statistics, millis);
    state = round.state();
    leaking = round.leaking();
    outcomes.addAll(round.outcomes());
    if (round.answer() instanceof PlanAnswer.Planned(ResourcePlan plan)) {
      plans.add(plan);
      now = carriedOut(plan);
    }
    millis = round.nextMillis();
    return round.answer();
  }

  private Allocation carriedOut(ResourcePlan plan) {
    Allocation planned = plan.appliedTo(now);
    SortedMap<NodeId, NodeResources> nodes = new TreeMap<>();
    planned
        .roles()
        .forEach((role, size) -> {
          for (int i = 0; i < size.count(); i++) {
            NodeId node = new NodeId(role, i);
            nodes.put(node, planned.nodes().getOrDefault(node, size.each()));
          }
        });
    return new Allocation(planned.roles(), nodes);
  }
}
