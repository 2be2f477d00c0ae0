package dev.pliant.operator.decision;

import dev.pliant.crds.api.JobStatus;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is to be done about a job.
///
/// @param actions in this order; pods next to each other may be made and deleted at once
/// @param status what is to be said of the job, as long as all actions succeed; null: nothing
/// @param news how much of the status is new
/// @param lookAgainAt when time alone will ask for more, or null
public record Reaction(
    List<Action> actions,
    @Nullable JobStatus status,
    News news,
    List<Notice> notices,
    @Nullable Instant lookAgainAt) {
  /// How soon a status is to be written.
  public enum News {
    NONE,
    /// Counts of pods, which change with each of them: may wait for the next.
    COUNTS,
    /// Something that others act upon.
    SUBSTANCE
  }

  public Reaction {
    actions = List.copyOf(actions);
    notices = List.copyOf(notices);
  }

  static Reaction nothing() {
    return new Reaction(List.of(), null, News.NONE, List.of(), null);
  }
}
