package dev.pliant.operator.decision;

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
    if (older.isEmpty()) {
      return;
    }
    older.forEach(pod -> draft.act(new Action.DeletePod(pod.name(), pod.uid(), null)));
    draft.tell(
        Notice.warning(
            "SecretReplaced",
            "%s told to go: the job's Secret was deleted and made anew, and they know the old one"
                .formatted(Draft.names(older.stream().map(PodView::name).toList()))));
  }
}
