package dev.pliant.autoscaling.job;

import dev.pliant.model.decision.Input;
import java.util.List;

/// What an optimiser answers: a plan, or why there is none.
public sealed interface PlanAnswer {
  record Planned(ResourcePlan plan) implements PlanAnswer {}

  /// @param inputs what was read until it was clear that there is no plan
  record NoPlan(NoPlanReason reason, List<Input> inputs) implements PlanAnswer {
    public NoPlan {
      inputs = List.copyOf(inputs);
    }
  }

  static PlanAnswer none(NoPlanReason reason, Input... inputs) {
    return new NoPlan(reason, List.of(inputs));
  }

  static PlanAnswer none(NoPlanReason reason, List<Input> inputs) {
    return new NoPlan(reason, inputs);
  }
}
