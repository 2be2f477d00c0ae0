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
  static final String TEMPLATE_REFUSED = "TemplateRefused";

  private TrialRule() {}

  /// Returns whether the job may begin, or has begun.
  static boolean passed(Observed seen, Draft draft) {
    Trial trial = seen.trial();
    if (seen.job().masterStarts() > 0 || !seen.masterPods().isEmpty()) {
      if (trial == null ? isToAsk(seen) : isDue(trial, seen, draft)) {
        draft.act(new Action.TryTemplates());
      }
      return true;
    }
    if (trial == null || isDue(trial, seen, draft)) {
      draft.act(new Action.TryTemplates());
      return false;
    }
    return trial.refusal() == null;
  }

  /// Whether what was refused is to be tried again; else it is looked at again when it is.
  private static boolean isDue(Trial trial, Observed seen, Draft draft) {
    if (trial.refusal() == null) {
      return false;
    }
    if (trial.tryAgainAt().isAfter(seen.now())) {
      draft.lookAgainAt(trial.tryAgainAt());
      return false;
    }
    return true;
  }

  /// Whether the job is another than the one of which it was last said what its templates are, or
  /// they were refused then.
  private static boolean isToAsk(Observed seen) {
    JobStatus status = seen.job().status();
    Condition said =
        Conditions.find(status == null ? null : status.conditions(), Conditions.ACCEPTED);
    return said != null
        && (TEMPLATE_REFUSED.equals(said.getReason())
            || (said.getObservedGeneration() != null
                && said.getObservedGeneration() < seen.job().generation()));
  }

  /// What the cluster would not take of the templates, or null.
  static @Nullable String refusal(Observed seen) {
    Trial trial = seen.trial();
    return trial == null ? null : trial.refusal();
  }
}
