package dev.pliant.operator.decision;

import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.time.Instant;
import java.util.List;

/// Pods that are older than the job's Secret know another token: somebody deleted the Secret, and
/// it was made anew. They and the pods that come after them would shut each other out, so they are
/// told to go; the next master goes on where the journal ends.
final class SecretRule {
  private SecretRule() {}

  static void apply(Observed seen, Draft draft) {
    Instant since = seen.secretSince();
    if (since == null) {
      return;
    }
    if (since.isAfter(seen.now())) {
      draft.lookAgainAt(since); // Its clock was ahead: all that is made until then seems older.
      return;
    }
    List<PodView> older =
        seen.pods().stream()
            .filter(pod -> pod.ours() && pod.stays() && pod.createdAt().isBefore(since))
            .toList();
    draft.delete(older, null, Rule.SECRET_REPLACED, Objection.OLDER_THAN_SECRET);
  }
}
