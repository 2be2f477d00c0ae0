package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeId;
import java.util.List;
import java.util.SortedMap;

/// Finds sizes for one job. The seeds also call it the resource generator. A function of its
/// arguments: the same ones give the same answer. It never throws for what was measured; what
/// cannot be is left out.
public interface ResourceOptimizer {

  /// What is to be planned.
  ///
  /// @param servers whether parameter servers may change
  /// @param workers whether workers may change; where both may, parameter servers come first
  record Question(JobStage stage, WorkerPhase phase, boolean servers, boolean workers) {
    /// Everything that the stage plans.
    public static Question of(StageState state) {
      return new Question(state.stage(), state.phase(), true, true);
    }

    public Question serversAlone() {
      return new Question(stage, phase, true, false);
    }

    public Question workersAlone() {
      return new Question(stage, phase, false, true);
    }
  }

  /// The best sizes for a stage.
  PlanAnswer optimize(Question question, OptimizerInput input);

  /// More memory for nodes that ran out of it.
  PlanAnswer recoverFromOom(List<NodeId> nodes, JobStage stage, OptimizerInput input);

  /// A plan by one rule of the optimiser.
  ///
  /// @param optimizer the rule's name
  /// @param parameters the rule's constants that differ from the settings, by name
  PlanAnswer optimizeBy(
      String optimizer, SortedMap<String, Double> parameters, OptimizerInput input);
}
