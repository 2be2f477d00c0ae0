package dev.pliant.operator.decision;

import dev.pliant.crds.ElasticJob;
import java.time.Duration;

/// What a job's master needs is there, as this operator makes it.
final class ObjectRule {
  /// How long Kubernetes is left alone with what a deleted job of the same name has left behind.
  static final Duration COLLECTION = Duration.ofSeconds(2);

  private ObjectRule() {}

  /// Returns whether, after this, nothing is missing.
  static boolean apply(Observed seen, ElasticJob job, Draft draft) {
    boolean free = true;
    for (JobObject object : JobObject.values()) {
      if (!object.isOf(job)) {
        continue;
      }
      switch (seen.presence(object)) {
        case OUTDATED -> { // Whether or not it can be made anew, it is there.
          boolean unused = make(seen, object, draft);
        }
        case MISSING -> free &= make(seen, object, draft);
        case CURRENT -> {}
        case FOREIGN -> {
          free = false;
          draft.lookAgainAt(seen.now().plus(COLLECTION));
        }
      }
    }
    return free;
  }

  /// Returns whether it is made now; else it is tried again later.
  private static boolean make(Observed seen, JobObject object, Draft draft) {
    Refusal refusal = seen.refusalOf(object.word());
    if (refusal != null && refusal.tryAgainAt().isAfter(seen.now())) {
      draft.lookAgainAt(refusal.tryAgainAt());
      return false;
    }
    draft.act(new Action.ApplyObject(object));
    return true;
  }
}
