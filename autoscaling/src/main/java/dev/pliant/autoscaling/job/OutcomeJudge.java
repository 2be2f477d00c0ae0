package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.AutoScalingSettings.OutcomeSettings;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.util.List;

/// Judges plans that were to make the training faster. The speed after is measured once the job has
/// had its new size for a whole window, so the time of the change itself counts for neither.
final class OutcomeJudge {
  /// After so many windows without two that can be compared, a plan is not judged any more.
  private static final int PATIENCE_WINDOWS = 10;

  /// What became of a plan so far.
  sealed interface Judgement {
    /// It is too early.
    record Pending() implements Judgement {}

    /// Nothing comparable was measured.
    record Unknown() implements Judgement {}

    record Known(PlanOutcome outcome) implements Judgement {}
  }

  private OutcomeJudge() {}

  static Judgement judge(
      AppliedPlan plan, ScalingState state, OptimizerInput input, OutcomeSettings settings) {
    long now = input.nowMillis();
    long window = settings.windowMillis();
    long start = Math.max(plan.atMillis(), state.workersSinceMillis());
    boolean hasItsSize = input.now().workersAlive() == input.now().workers();
    if (hasItsSize && now - start >= window) {
      Mean before = mean(input, plan.atMillis() - window, plan.atMillis());
      Mean after = mean(input, now - window, now);
      if (before.samples >= settings.minSamples() && after.samples >= settings.minSamples()) {
        boolean slower = after.speed < before.speed * (1 - settings.slowdown());
        return new Judgement.Known(
            new PlanOutcome(plan, before.speed, after.speed, now - window, now, slower));
      }
    }
    return now - plan.atMillis() >= PATIENCE_WINDOWS * window
        ? new Judgement.Unknown()
        : new Judgement.Pending();
  }

  private record Mean(int samples, double speed) {}

  private static Mean mean(OptimizerInput input, long fromMillis, long toMillis) {
    List<SpeedSample> speeds = input.statistics().speeds();
    int samples = 0;
    double sum = 0;
    for (SpeedSample sample : speeds) {
      if (sample.isUsable() && sample.atMillis() > fromMillis && sample.atMillis() <= toMillis) {
        samples++;
        sum += sample.recordsPerSecond();
      }
    }
    return new Mean(samples, samples == 0 ? 0 : sum / samples);
  }

  /// The sizes that the job had before the plan.
  static PlanAnswer takeBack(PlanOutcome outcome, Allocation now) {
    PlanBuilder plan = new PlanBuilder(Rule.SLOWER_THAN_BEFORE, Goal.TAKE_BACK);
    plan.amount(InputName.SPEED_BEFORE, outcome.recordsPerSecondBefore())
        .amount(InputName.SPEED, outcome.recordsPerSecondAfter());
    outcome.plan().rolesBefore().forEach(plan::role);
    outcome.plan().nodesBefore().forEach(plan::node);
    plan.reject(Alternative.KEEP_SIZE, Objection.MADE_TRAINING_SLOWER);
    plan.expect(outcome.recordsPerSecondBefore());
    return plan.build(now);
  }

  /// What is not tried again in this run.
  static TriedSize tried(PlanOutcome outcome) {
    AppliedPlan plan = outcome.plan();
    return new TriedSize(
        plan.rolesBefore(), plan.plan().roles(), !plan.plan().nodes().isEmpty(), Long.MAX_VALUE);
  }
}
