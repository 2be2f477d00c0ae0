package dev.pliant.cli.run;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
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
      parts.add("no master for " + seconds(away));
    }
    if (snapshot != null) {
      if (!snapshot.journalTrouble().isEmpty()) {
        parts.add("journal: " + snapshot.journalTrouble());
      }
      if (!snapshot.datasets().isEmpty()) {
        parts.add("%,.0f/s".formatted(perSecond));
      }
      if (perSecond > 0 && snapshot.done() < snapshot.total()) {
        parts.add(roughly((snapshot.total() - snapshot.done()) / perSecond) + " left");
      }
      parts.add(count(snapshot.workersLive(), "worker"));
      if (!snapshot.datasets().isEmpty()) {
        parts.add(count(snapshot.shardsOut(), "shard") + " out");
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
    long percent = total == 0 ? 0 : Math.min(100, (long) (snapshot.done() * 100.0 / total));
    return "%,d/%,d records (%d %%)".formatted(snapshot.done(), total, percent);
  }

  static String count(long number, String noun) {
    return number == 1 ? "1 " + noun : "%,d %ss".formatted(number, noun);
  }

  /// For instance `0.8 s` or `1 min 20 s`.
  static String seconds(Duration duration) {
    double seconds = duration.toNanos() / 1e9;
    return seconds < 60 ? String.format(Locale.ROOT, "%.1f s", seconds) : roughly(seconds);
  }

  private static String roughly(double seconds) {
    long whole = (long) Math.ceil(seconds);
    if (whole < 60) {
      return whole + " s";
    }
    if (whole < 3600) {
      return "%d min %d s".formatted(whole / 60, whole % 60);
    }
    return whole < 360_000 ? "%d h %d min".formatted(whole / 3600, whole % 3600 / 60) : "days";
  }
}
