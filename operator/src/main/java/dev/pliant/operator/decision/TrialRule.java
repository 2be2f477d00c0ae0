package dev.pliant.operator.decision;

import org.jspecify.annotations.Nullable;

/// Before a job begins, the API server is asked what it thinks of the pods that it will have: a
/// template that means nothing to it is said at once, of the job itself, and no master waits for
/// pods that never come. What depends on the cluster's state, such as a quota, keeps no job from
/// beginning.
final class TrialRule {
  private TrialRule() {}

  /// Returns whether the job may begin, or has begun.
  static boolean passed(Observed seen, Draft draft) {
    if (seen.job().masterStarts() > 0 || !seen.masterPods().isEmpty()) {
      return true;
    }
    Trial trial = seen.trial();
    if (trial == null || (trial.refusal() != null && !trial.tryAgainAt().isAfter(seen.now()))) {
      draft.act(new Action.TryTemplates());
      return false;
    }
    if (trial.refusal() != null) {
      draft.lookAgainAt(trial.tryAgainAt());
    }
    return trial.refusal() == null;
  }

  /// Why the job does not begin, or null.
  static @Nullable String refusal(Observed seen) {
    Trial trial = seen.trial();
    return trial == null ? null : trial.refusal();
  }
}
