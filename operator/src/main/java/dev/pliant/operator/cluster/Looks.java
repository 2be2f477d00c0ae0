package dev.pliant.operator.cluster;

import dev.pliant.operator.decision.Action;
import dev.pliant.operator.decision.Notice;
import dev.pliant.operator.decision.Reaction;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Looks at a job and acts until a look finds nothing to do: so what is said of the job is what has
/// become of it. Caches show at once what was done here.
final class Looks {
  /// So many times in a row; then other jobs have their turn.
  static final int IN_A_ROW = 4;

  static final Duration SOONEST = Duration.ofMillis(50);

  /// Up to 13 s.
  private static final int MOST_DOUBLINGS = 8;

  private Looks() {}

  /// One look, and what was done about it.
  ///
  /// @param done whether all actions were carried out
  record Look(Reaction reaction, boolean done) {}

  interface Looker {
    Look look() throws InterruptedException;
  }

  /// The looks of a turn: the last one's reaction, with the notices of all.
  ///
  /// @param finished whether the last look found nothing to do; else no event may tell of what is
  ///   left, because caches hide the events of what was done here
  record Turn(Reaction reaction, boolean finished) {
    /// When the job is to be looked at again, or null.
    ///
    /// @param unfinished how many turns in a row did not finish; what is never done, such as a
    ///   status of which the cluster drops a field, is tried less and less often
    @Nullable Instant again(Instant now, int unfinished) {
      Instant due = reaction.lookAgainAt();
      if (finished) {
        return due;
      }
      Duration wait = SOONEST.multipliedBy(1L << Math.min(unfinished - 1, MOST_DOUBLINGS));
      return due != null && due.isBefore(now.plus(wait)) ? due : now.plus(wait);
    }
  }

  static Turn until(Looker looker) throws InterruptedException {
    Set<Notice> notices = new LinkedHashSet<>();
    for (int i = 1; ; i++) {
      Look look = looker.look();
      if (look.done()) {
        notices.addAll(look.reaction().notices());
      }
      boolean more = !look.done() || changes(look.reaction().actions());
      if (!more || i == IN_A_ROW) {
        return new Turn(with(look.reaction(), notices), !more);
      }
    }
  }

  private static Reaction with(Reaction last, Set<Notice> notices) {
    return new Reaction(
        last.actions(), last.status(), last.news(), new ArrayList<>(notices), last.lookAgainAt());
  }

  private static boolean changes(List<Action> actions) {
    return !actions.isEmpty() && actions.stream().allMatch(Looks::shows);
  }

  /// Whether a cache shows at once that it was done; all else will be seen in time.
  private static boolean shows(Action action) {
    return switch (action) {
      case Action.ApplyObject _,
          Action.TryTemplates _,
          Action.CreateMaster _,
          Action.CreateNode _,
          Action.DeletePod _,
          Action.RecordPlan _,
          Action.AddFinalizer _,
          Action.CreateCleaner _ ->
          true;
      case Action.DeleteObject _,
          Action.FillReplicas _,
          Action.FollowReplicas _,
          Action.DeleteJob _,
          Action.RemoveFinalizer _ ->
          false;
    };
  }
}
