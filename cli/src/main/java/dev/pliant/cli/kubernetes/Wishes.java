package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.crds.RoleBounds;
import java.util.Optional;

/// What a wish for another number of workers comes to, for people. The job's master decides; this
/// is what its bounds leave of the wish.
final class Wishes {
  private Wishes() {}

  static String answer(int workers, Optional<RoleBounds> bounds, State state) {
    String later = state == State.SUSPENDED ? " It is stopped; this counts when it goes on." : "";
    if (bounds.isEmpty()) {
      return "wished: %s.%s".formatted(Amounts.count(workers, "worker"), later);
    }
    int min = bounds.get().min();
    int max = bounds.get().max();
    int given = Math.clamp(workers, min, max);
    String range = "of %,d to %,d".formatted(min, max);
    return given == workers
        ? "wished: %s, %s.%s".formatted(Amounts.count(workers, "worker"), range, later)
        : "wished: %s; the job has %s, so it will have %,d.%s"
            .formatted(
                Amounts.count(workers, "worker"), range.replaceFirst("of", "from"), given, later);
  }
}
