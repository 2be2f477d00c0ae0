package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.crds.RoleBounds;
import java.util.Optional;

/// What a wish for another number of workers comes to, for people. The job's master decides; this
/// is what its bounds leave of the wish.
final class Wishes {
  private Wishes() {}

  /// What to wish of the cluster, which refuses what lies outside the job's own bounds. A most that
  /// nobody has said is none.
  static int given(int workers, Optional<RoleBounds> bounds) {
    return bounds
        .map(own ->
            Math.clamp(
                workers, own.min(), own.bounded() ? own.max() : Math.max(workers, own.max())))
        .orElse(workers);
  }

  /// In the words of a master that is asked itself.
  ///
  /// @param bounds those that hold once it is wished
  static String answer(int workers, Optional<RoleBounds> bounds, State state) {
    String later = state == State.SUSPENDED ? " It is stopped; this counts when it goes on." : "";
    if (bounds.isEmpty()) {
      return "wished: %s.%s".formatted(Amounts.count(workers, "worker"), later);
    }
    int min = bounds.get().min();
    int max = bounds.get().max();
    int given = Math.clamp(workers, min, max);
    if (given == workers) {
      return "wished: %s, of %,d to %,d.%s"
          .formatted(Amounts.count(workers, "worker"), min, max, later);
    }
    return "%,d workers were asked for, and %,d are the %s: it gets %,d.%s"
        .formatted(
            workers,
            given,
            given < workers ? "most this job may have" : "fewest this job can have",
            given,
            later);
  }
}
