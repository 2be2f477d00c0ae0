package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/// All that the planner remembers of a run.
///
/// @param stage the job's stage
/// @param plans the newest plans that were carried out, the oldest first
/// @param tried sizes that did no good
/// @param memoryIncreases how often each node got more memory before it ran out
/// @param workers how many workers were there at the last round
/// @param workersSinceMillis since when
public record ScalingState(
    StageState stage,
    List<AppliedPlan> plans,
    List<TriedSize> tried,
    SortedMap<NodeId, Integer> memoryIncreases,
    int workers,
    long workersSinceMillis) {
  /// How many plans and tried sizes are remembered.
  public static final int REMEMBERED = 64;

  /// A run begins.
  public static final ScalingState FIRST =
      new ScalingState(StageState.FIRST, List.of(), List.of(), Collections.emptySortedMap(), 0, 0);

  public ScalingState {
    plans = newest(plans);
    tried = newest(tried);
    memoryIncreases = Collections.unmodifiableSortedMap(new TreeMap<>(memoryIncreases));
  }

  private static <T> List<T> newest(List<T> all) {
    return List.copyOf(all.subList(Math.max(0, all.size() - REMEMBERED), all.size()));
  }

  /// The newest plan of this kind that is not of the future: a clock that was set back must not
  /// stop planning.
  @Nullable AppliedPlan newest(Predicate<AppliedPlan> kind, long nowMillis) {
    for (int i = plans.size() - 1; i >= 0; i--) {
      AppliedPlan plan = plans.get(i);
      if (plan.atMillis() <= nowMillis && kind.test(plan)) {
        return plan;
      }
    }
    return null;
  }

  /// When the size last changed by a plan; before all time where it never did.
  long lastChangeMillis(long nowMillis) {
    AppliedPlan last = newest(_ -> true, nowMillis);
    return last == null ? Long.MIN_VALUE : last.atMillis();
  }

  /// Notes how many workers are there.
  ScalingState observed(int alive, long nowMillis) {
    return alive == workers && workersSinceMillis <= nowMillis
        ? this
        : new ScalingState(stage, plans, tried, memoryIncreases, alive, nowMillis);
  }

  ScalingState at(StageState newStage) {
    return new ScalingState(newStage, plans, tried, memoryIncreases, workers, workersSinceMillis);
  }

  ScalingState with(AppliedPlan plan) {
    List<AppliedPlan> more = new ArrayList<>(plans);
    more.add(plan);
    SortedMap<NodeId, Integer> increases = new TreeMap<>(memoryIncreases);
    if (plan.plan().goal() == Goal.MEMORY) {
      plan.plan().nodes().keySet().forEach(node -> increases.merge(node, 1, Integer::sum));
    }
    return new ScalingState(stage, more, tried, increases, workers, workersSinceMillis);
  }

  ScalingState with(TriedSize size) {
    List<TriedSize> more = new ArrayList<>(tried);
    more.add(size);
    return new ScalingState(stage, plans, more, memoryIncreases, workers, workersSinceMillis);
  }

  /// The outcome of `plan` is known.
  ScalingState judged(AppliedPlan plan) {
    List<AppliedPlan> same = new ArrayList<>(plans);
    same.replaceAll(each -> each == plan ? plan.asJudged() : each);
    return new ScalingState(stage, same, tried, memoryIncreases, workers, workersSinceMillis);
  }

  /// The sizes that are not tried now.
  List<TriedSize> avoided(long nowMillis) {
    return tried.stream().filter(size -> size.untilMillis() > nowMillis).toList();
  }

  /// Forgets nodes that are gone.
  ScalingState without(Allocation now) {
    SortedMap<NodeId, Integer> left = new TreeMap<>(memoryIncreases);
    left.keySet().retainAll(now.nodes().keySet());
    return new ScalingState(stage, plans, tried, left, workers, workersSinceMillis);
  }
}
