package dev.pliant.operator.decision;

import dev.pliant.crds.api.CleanPodPolicy;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/// A job that is over releases what it holds: pods as `cleanPodPolicy` says, then all that its
/// master needed, and after its ttl the job itself.
final class EndRule {
  /// A master that has said how its job ended is given this long to end by itself.
  static final Duration MASTER_LEAVES = Duration.ofSeconds(60);

  private EndRule() {}

  static void apply(Observed seen, Draft draft) {
    Instant end = endedAt(seen);
    boolean late = !seen.now().isBefore(end.plus(MASTER_LEAVES));
    pods(seen, late, draft);
    boolean masterLives = seen.masterPods().stream().anyMatch(pod -> !pod.ended());
    if (masterLives && !late) {
      draft.lookAgainAt(end.plus(MASTER_LEAVES));
      return;
    }
    for (JobObject object : JobObject.values()) {
      switch (seen.presence(object)) {
        case CURRENT, OUTDATED -> draft.act(new Action.DeleteObject(object));
        case MISSING, FOREIGN -> {}
      }
    }
    Integer ttl = seen.job().spec().ttl();
    if (ttl != null) {
      Instant due = end.plusSeconds(ttl);
      if (due.isAfter(seen.now())) {
        draft.lookAgainAt(due);
      } else {
        draft.act(new Action.DeleteJob());
      }
    }
  }

  /// When the job was first seen to be over.
  static Instant endedAt(Observed seen) {
    JobStatus status = seen.job().status();
    return status == null || status.completionTime() == null
        ? seen.now()
        : Instant.parse(status.completionTime());
  }

  private static void pods(Observed seen, boolean late, Draft draft) {
    CleanPodPolicy policy =
        Objects.requireNonNullElse(seen.job().spec().cleanPodPolicy(), CleanPodPolicy.Running);
    switch (policy) {
      case None -> {}
      case Running -> {
        clean(seen.nodePods().stream().filter(PodView::stays).toList(), draft);
        clean(seen.masterPods().stream().filter(pod -> late && pod.stays()).toList(), draft);
      }
      case All -> {
        clean(seen.nodePods().stream().filter(pod -> !pod.deleting()).toList(), draft);
        clean(
            seen.masterPods().stream()
                .filter(pod -> !pod.deleting() && (late || pod.ended()))
                .toList(),
            draft);
      }
    }
  }

  private static void clean(List<PodView> pods, Draft draft) {
    draft.delete(pods, null, Rule.PODS_CLEANED, Objection.JOB_HAS_ENDED);
  }
}
