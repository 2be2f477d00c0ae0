package dev.pliant.operator.decision;

import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What people are told when a job's status changes.
final class Notices {
  /// Reasons of conditions that every job passes through.
  private static final Set<String> USUAL =
      Set.of(
          "Starting",
          "NotThere",
          "NoPlan",
          "JobOver",
          "Suspended",
          "Suspending",
          "Resumed",
          NameRule.COLLECTED);

  private Notices() {}

  static void ofChange(@Nullable JobStatus before, JobStatus after, Draft draft) {
    JobStatePhase phase = Objects.requireNonNull(after.phase());
    if (before == null ? phase != JobStatePhase.Pending : phase != before.phase()) {
      String message = Objects.requireNonNullElse(after.message(), "The job is " + phase + ".");
      draft.tell(
          phase == JobStatePhase.Failed
              ? Notice.warning("JobFailed", message)
              : Notice.normal("Job" + phase, message));
    }
    for (String type :
        List.of(
            Conditions.ACCEPTED,
            Conditions.NAMES_FREE,
            Conditions.PODS_READY,
            Conditions.PLAN_CURRENT)) {
      Condition now = Conditions.find(after.conditions(), type);
      Condition then = before == null ? null : Conditions.find(before.conditions(), type);
      if (now != null
          && ("False".equals(now.getStatus())
              || now.getReason().equals(ConditionRule.UNKNOWN_FIELDS))
          && !USUAL.contains(now.getReason())
          && (then == null || isNews(now, then))) {
        draft.tell(Notice.warning(now.getReason(), now.getMessage()));
      }
    }
  }

  /// Another object that is in the way is news; another pod that waits for the same is not.
  private static boolean isNews(Condition now, Condition then) {
    return !Trouble.family(now.getReason()).equals(Trouble.family(then.getReason()))
        || (now.getType().equals(Conditions.NAMES_FREE)
            && !now.getMessage().equals(then.getMessage()));
  }
}
