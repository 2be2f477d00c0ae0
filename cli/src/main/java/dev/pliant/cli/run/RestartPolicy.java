package dev.pliant.cli.run;

import dev.pliant.rpc.Backoff;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/// When a master that died is started again: at once where it had served, later and later where it
/// had not, and no more when it cannot be brought up.
///
/// @param futile the latest deaths in a row of masters that had not served, oldest first, those of
///   longer than the window ago left out
/// @param inARow how many such deaths there were in a row, the old ones too
record RestartPolicy(List<Instant> futile, int inARow) {
  static final int FUTILE_LIMIT = 10;
  static final int IN_A_ROW_LIMIT = 30;
  static final Duration FUTILE_WINDOW = Duration.ofMinutes(1);

  private static final Backoff BACKOFF = new Backoff(Duration.ofMillis(100), Duration.ofSeconds(1));

  RestartPolicy {
    futile = List.copyOf(futile);
  }

  static RestartPolicy fresh() {
    return new RestartPolicy(List.of(), 0);
  }

  /// What to do about a death.
  sealed interface Verdict {
    /// Start again after a while.
    record Again(Duration after, RestartPolicy next) implements Verdict {}

    /// It died too often: something is wrong that starting does not mend.
    record GiveUp(int deaths) implements Verdict {}
  }

  /// @param served whether the master had been up for long enough to be of use
  Verdict died(Instant now, boolean served) {
    if (served) {
      return new Verdict.Again(Duration.ZERO, fresh());
    }
    List<Instant> deaths = new ArrayList<>(futile);
    deaths.removeIf(death -> death.isBefore(now.minus(FUTILE_WINDOW)));
    deaths.add(now);
    if (deaths.size() >= FUTILE_LIMIT || inARow + 1 >= IN_A_ROW_LIMIT) {
      return new Verdict.GiveUp(inARow + 1);
    }
    return new Verdict.Again(BACKOFF.after(deaths.size()), new RestartPolicy(deaths, inARow + 1));
  }
}
