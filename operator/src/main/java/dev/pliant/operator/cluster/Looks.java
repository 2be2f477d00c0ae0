package dev.pliant.operator.cluster;

import dev.pliant.operator.decision.Action;
import dev.pliant.operator.decision.Notice;
import dev.pliant.operator.decision.Reaction;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/// Looks at a job and acts until a look finds nothing to do: so what is said of the job is what has
/// become of it. Caches show at once what was done here.
final class Looks {
  /// So many times in a row; then other jobs have their turn.
  static final int IN_A_ROW = 4;

  private Looks() {}

  /// One look, and what was done about it.
  ///
  /// @param done whether all actions were carried out
  record Look(Reaction reaction, boolean done) {}

  interface Looker {
    Look look() throws InterruptedException;
  }

  /// @param now when the job is looked at again if its last look still found something to do: no
  ///   event would tell of it, because caches hide the events of what was done here
  /// @return the last look's reaction, with the notices of all
  static Reaction until(Looker looker, Instant now) throws InterruptedException {
    Set<Notice> notices = new LinkedHashSet<>();
    for (int i = 1; ; i++) {
      Look look = looker.look();
      if (look.done()) {
        notices.addAll(look.reaction().notices());
      }
      boolean more = !look.done() || changes(look.reaction().actions());
      if (!more || i == IN_A_ROW) {
        return concluded(look.reaction(), notices, more, now);
      }
    }
  }

  private static Reaction concluded(Reaction last, Set<Notice> notices, boolean more, Instant now) {
    return new Reaction(
        last.actions(),
        last.status(),
        last.news(),
        new ArrayList<>(notices),
        more ? now : last.lookAgainAt());
  }

  private static boolean changes(List<Action> actions) {
    return !actions.isEmpty() && actions.stream().allMatch(Looks::shows);
  }

  /// Whether a cache shows at once that it was done; all else will be seen in time.
  private static boolean shows(Action action) {
    return switch (action) {
      case Action.ApplyObject _,
          Action.CreateMaster _,
          Action.CreateNode _,
          Action.DeletePod _,
          Action.RecordPlan _ ->
          true;
      case Action.DeleteObject _, Action.FillReplicas _, Action.DeleteJob _ -> false;
    };
  }
}
