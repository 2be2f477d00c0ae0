package dev.pliant.cli.run;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobSnapshot;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How far a job is, in one line.
final class ProgressLine {
  private ProgressLine() {}

  /// What matters most comes first, for a narrow terminal cuts the end off.
  ///
  /// @param snapshot what the master said last, or null before it said anything
  /// @param away how long no master has been up; zero while one is
  static String of(String job, @Nullable JobSnapshot snapshot, double perSecond, Duration away) {
    List<String> parts = new ArrayList<>();
    parts.add(job + "  " + (snapshot == null ? "starting" : records(snapshot)));
    if (!away.isZero()) {
      parts.add("no master for " + Amounts.seconds(away));
    }
    if (snapshot != null) {
      if (!snapshot.journalTrouble().isEmpty()) {
        parts.add("journal: " + snapshot.journalTrouble());
      }
      if (!snapshot.datasets().isEmpty()) {
        parts.add("%,.0f/s".formatted(perSecond));
      }
      if (perSecond > 0 && snapshot.done() < snapshot.total()) {
        parts.add(Amounts.roughly((snapshot.total() - snapshot.done()) / perSecond) + " left");
      }
      parts.add(Amounts.count(snapshot.workersLive(), "worker"));
      if (!snapshot.datasets().isEmpty()) {
        parts.add(Amounts.count(snapshot.shardsOut(), "shard") + " out");
      }
      parts.add("master epoch " + snapshot.epoch());
    }
    return String.join(" · ", parts);
  }

  private static String records(JobSnapshot snapshot) {
    if (snapshot.datasets().isEmpty()) {
      return "waits for a dataset";
    }
    long total = snapshot.total();
    return "%,d/%,d records (%d %%)"
        .formatted(snapshot.done(), total, Amounts.percent(snapshot.done(), total));
  }
}
