package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.AutoScalingSettings.GroupSettings;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.ResourceSum;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// The number of workers of a job without parameter servers. It grows into free room, at most to
/// `alive + min(⌊free/unit⌋·unit, max − alive)` and by a few units a plan. It shrinks by a unit
/// where its speed falls below a share of linear speed: the speed of each worker at the smallest
/// size that was measured in this run, times their number.
record GroupSizer(GroupSettings settings) {

  PlanAnswer plan(OptimizerInput input, List<TriedSize> tried, int mostWorkers) {
    RoleConstraints role = input.job().role(Roles.WORKER);
    RoleSize size = input.now().role(Roles.WORKER);
    if (role == null || size == null) {
      return PlanAnswer.none(NoPlanReason.NO_STATISTICS);
    }
    if (!role.autoScale()) {
      return PlanAnswer.none(NoPlanReason.SET_BY_USER);
    }
    if (input.now().workersAlive() != input.now().workers()) {
      return PlanAnswer.none(NoPlanReason.WORKERS_NOT_STABLE);
    }
    List<SpeedRun> runs =
        SpeedRun.of(input.statistics().speeds(), settings.minSamples(), input.nowMillis());
    if (runs.isEmpty()
        || runs.getLast().workers() != input.now().workers()
        || runs.getLast().samples() < settings.minSamples()
        || runs.getLast().lastMillis() <= input.sinceMillis()) {
      return PlanAnswer.none(NoPlanReason.NO_STATISTICS);
    }
    double efficiency = efficiency(runs);
    return efficiency < settings.minEfficiency()
        ? shrink(role, size, runs, efficiency, input)
        : grow(role, size, runs, efficiency, input, tried, mostWorkers);
  }

  /// The share of linear speed; 1 at the smallest size that was measured.
  private double efficiency(List<SpeedRun> runs) {
    SpeedRun newest = runs.getLast();
    SpeedRun smallest = newest;
    for (SpeedRun run : runs) {
      if (run.samples() >= settings.minSamples()
          && run.recordsPerSecond() > 0
          && run.workers() > 0
          && run.workers() <= smallest.workers()) {
        smallest = run;
      }
    }
    if (smallest.workers() == newest.workers()) {
      return 1;
    }
    return newest.recordsPerSecond()
        / newest.workers()
        / (smallest.recordsPerSecond() / smallest.workers());
  }

  private PlanBuilder read(
      Rule rule, Goal goal, RoleConstraints role, List<SpeedRun> runs, double efficiency) {
    return new PlanBuilder(rule, goal)
        .count(InputName.WORKERS, runs.getLast().workers())
        .count(InputName.UNIT, role.unit())
        .amount(InputName.SPEED, runs.getLast().recordsPerSecond())
        .amount(InputName.EFFICIENCY, efficiency)
        .amount(InputName.SMALLEST_EFFICIENCY, settings.minEfficiency());
  }

  private PlanAnswer shrink(
      RoleConstraints role,
      RoleSize size,
      List<SpeedRun> runs,
      double efficiency,
      OptimizerInput input) {
    PlanBuilder plan = read(Rule.SHRINK_TO_EFFICIENT_SIZE, Goal.EFFICIENCY, role, runs, efficiency);
    int fewer = Math.max(role.min(), wholeUnits(size.count() - 1, role.unit()));
    if (fewer >= size.count() || fewer < 1) {
      return plan.none(NoPlanReason.UNCHANGED);
    }
    plan.reject(Alternative.KEEP_SIZE, Objection.TRAINING_TOO_INEFFICIENT);
    plan.reject(Alternative.FEWER_WORKERS, Objection.ONE_STEP_A_PLAN);
    plan.role(Roles.WORKER, size.withCount(fewer));
    plan.expect(speedAt(fewer, runs, input));
    return plan.build(input.now());
  }

  /// What was measured with so many workers, or the same speed of each worker.
  private static double speedAt(int workers, List<SpeedRun> runs, OptimizerInput input) {
    int all = workers + input.now().count(Roles.CHIEF);
    for (int i = runs.size() - 1; i >= 0; i--) {
      if (runs.get(i).workers() == all) {
        return runs.get(i).recordsPerSecond();
      }
    }
    return runs.getLast().recordsPerSecond() * all / runs.getLast().workers();
  }

  private PlanAnswer grow(
      RoleConstraints role,
      RoleSize size,
      List<SpeedRun> runs,
      double efficiency,
      OptimizerInput input,
      List<TriedSize> tried,
      int mostWorkers) {
    int free = Math.min(input.statistics().room().fits(size.each()), left(input, size.each()));
    PlanBuilder plan =
        read(Rule.GROW_INTO_FREE_ROOM, Goal.SPEED, role, runs, efficiency)
            .limits(input)
            .count(InputName.FREE_NODES, free);
    int alive = size.count();
    int max = Math.min(role.max(), Math.max(alive, mostWorkers - input.now().count(Roles.CHIEF)));
    if (max - alive < 1 || wholeUnits(max, role.unit()) <= alive) {
      return plan.none(NoPlanReason.AT_MAXIMUM);
    }
    int most =
        wholeUnits(alive + Math.min(wholeUnits(free, role.unit()), max - alive), role.unit());
    if (most <= alive) {
      return plan.none(
          size.each().equals(NodeResources.UNBOUNDED)
              ? NoPlanReason.SIZE_UNKNOWN
              : NoPlanReason.NO_FREE_ROOM);
    }
    int below = Integer.MAX_VALUE;
    for (TriedSize each : tried) {
      below = Math.min(below, each.lowestCountAbove(Roles.WORKER, alive));
    }
    int next = wholeUnits(alive, role.unit()) + settings.growUnits() * role.unit();
    int target = Math.min(Math.min(most, next), below - 1);
    target = wholeUnits(target, role.unit());
    if (target <= alive) {
      return plan.none(NoPlanReason.SIZE_WAS_SLOWER);
    }
    if (target < most) {
      plan.reject(
          Alternative.MORE_WORKERS,
          below <= most ? Objection.MADE_TRAINING_SLOWER : Objection.ONE_STEP_A_PLAN);
    }
    plan.reject(Alternative.KEEP_SIZE, Objection.SMALLER_THAN_ROOM);
    plan.role(Roles.WORKER, size.withCount(target));
    SpeedRun now = runs.getLast();
    double each = now.recordsPerSecond() / now.workers();
    double ratio = Math.clamp(SpeedRun.ratio(runs), 0, 1);
    plan.expect(now.recordsPerSecond() + (target - alive) * each * ratio);
    return plan.build(input.now());
  }

  /// How many more such nodes the job's limits leave room for.
  private static int left(OptimizerInput input, NodeResources each) {
    ResourceLimits limits = input.job().limits();
    ResourceSum used = ResourceSum.of(input.now().nodes().values());
    double left = Integer.MAX_VALUE;
    left = Math.min(left, left(limits.cpu(), used.cpu(), each.cpu()));
    left = Math.min(left, left(limits.memoryMib(), used.memoryMib(), each.memoryMib()));
    left = Math.min(left, left(limits.gpus(), used.gpus(), each.gpus()));
    left = Math.min(left, left(limits.diskMib(), used.diskMib(), each.diskMib()));
    return (int) left;
  }

  private static double left(@Nullable Number limit, double used, double each) {
    return limit == null || each == 0
        ? Integer.MAX_VALUE
        : Math.max(0, Amounts.quotient(limit.doubleValue() - used, each));
  }

  private static int wholeUnits(int count, int unit) {
    return count - count % unit;
  }

  /// A size that was not efficient is tried once more after a while, for the room may be back.
  /// Where it was not efficient then either, it is not tried again in this run.
  TriedSize tried(ResourcePlan shrink, List<TriedSize> before, OptimizerInput input) {
    SortedMap<String, RoleSize> larger = new TreeMap<>(input.now().roles());
    larger.keySet().retainAll(shrink.roles().keySet());
    boolean again = before.stream().anyMatch(size -> size.after().equals(larger));
    long until = again ? Long.MAX_VALUE : input.nowMillis() + settings.retryMillis();
    return new TriedSize(shrink.roles(), larger, false, until);
  }
}
