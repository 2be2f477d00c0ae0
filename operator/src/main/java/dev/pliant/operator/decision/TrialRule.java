package dev.pliant.operator.decision;

import dev.pliant.crds.api.JobStatus;
import io.fabric8.kubernetes.api.model.Condition;
import org.jspecify.annotations.Nullable;

/// Before a job begins, the API server is asked what it thinks of the pods that it will have: a
/// template that means nothing to it is said at once, of the job itself, and no master waits for
/// pods that never come. What depends on the cluster's state, such as a quota, keeps no job from
/// beginning. Of a job that has begun it is asked again when its templates are changed: what it
/// says then is said, and the job goes on.
final class TrialRule {
  private TrialRule() {}

  /// Returns whether the job may begin, or has begun.
  static boolean passed(Observed seen, Draft draft) {
    Trial trial = seen.trial();
    if (seen.job().masterStarts() > 0 || !seen.masterPods().isEmpty()) {
      if (trial == null && isChanged(seen)) {
        draft.act(new Action.TryTemplates());
      }
      return true;
    }
    if (trial == null || (trial.refusal() != null && !trial.tryAgainAt().isAfter(seen.now()))) {
      draft.act(new Action.TryTemplates());
      return false;
    }
    if (trial.refusal() != null) {
      draft.lookAgainAt(trial.tryAgainAt());
    }
    return trial.refusal() == null;
  }

  /// Whether the job is another than the one of which it was last said what its templates are.
  private static boolean isChanged(Observed seen) {
    JobStatus status = seen.job().status();
    Condition said =
        Conditions.find(status == null ? null : status.conditions(), Conditions.ACCEPTED);
    return said != null
        && said.getObservedGeneration() != null
        && said.getObservedGeneration() < seen.job().generation();
  }

  /// What the cluster would not take of the templates, or null.
  static @Nullable String refusal(Observed seen) {
    Trial trial = seen.trial();
    return trial == null ? null : trial.refusal();
  }
}
