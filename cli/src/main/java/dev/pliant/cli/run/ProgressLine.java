package dev.pliant.cli.run;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Dataset;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How far a job is, in one line.
public final class ProgressLine {
  private static final int METRICS = 3;

  private ProgressLine() {}

  /// What matters most comes first, for a narrow terminal cuts the end off.
  ///
  /// @param snapshot what the master said last, or null before it said anything
  /// @param away how long no master has been up; zero while one is
  public static String of(
      String job, @Nullable JobSnapshot snapshot, double perSecond, Duration away) {
    List<String> parts = new ArrayList<>();
    parts.add(job + "  " + (snapshot == null ? "starting" : done(snapshot)));
    if (!away.isZero()) {
      parts.add("no master for " + Amounts.seconds(away));
    }
    if (snapshot != null) {
      if (!snapshot.journalTrouble().isEmpty()) {
        parts.add("journal: " + snapshot.journalTrouble());
      }
      metrics(snapshot, parts);
      if (!snapshot.datasets().isEmpty()) {
        parts.add("%,.0f/s".formatted(perSecond));
      }
      if (perSecond > 0 && snapshot.done() < snapshot.total()) {
        parts.add(Amounts.roughly((snapshot.total() - snapshot.done()) / perSecond) + " left");
      }
      parts.add(workers(snapshot));
      if (snapshot.shardsOut() > 0) {
        parts.add(Amounts.count(snapshot.shardsOut(), "shard") + " out");
      }
      parts.add("master epoch " + snapshot.epoch());
    }
    return String.join(" · ", parts);
  }

  private static String done(JobSnapshot snapshot) {
    if (snapshot.datasets().isEmpty()) {
      return snapshot.nodesLive() > 0 ? "running" : "waits for its workers";
    }
    Optional<Dataset> steps =
        snapshot.datasets().stream().filter(dataset -> dataset.nextStep() >= 0).findFirst();
    String records =
        "%,d/%,d records (%d %%)"
            .formatted(
                snapshot.done(),
                snapshot.total(),
                Amounts.percent(snapshot.done(), snapshot.total()));
    return steps
        .map(dataset ->
            "step %,d/%,d · epoch %,d/%,d · %s"
                .formatted(
                    dataset.nextStep(),
                    dataset.steps(),
                    Math.min(dataset.epoch() + 1, dataset.epochs()),
                    dataset.epochs(),
                    records))
        .orElse(records);
  }

  /// The loss first, as most people look for it.
  private static void metrics(JobSnapshot snapshot, List<String> parts) {
    Double loss = snapshot.metrics().get("loss");
    int room = METRICS;
    if (loss != null) {
      parts.add("loss " + Amounts.metric(loss));
      room--;
    }
    for (Map.Entry<String, Double> metric : snapshot.metrics().entrySet()) {
      if (room > 0 && !metric.getKey().equals("loss")) {
        parts.add(metric.getKey() + " " + Amounts.metric(metric.getValue()));
        room--;
      }
    }
  }

  /// Those that run, and how many are wished where that is another number.
  private static String workers(JobSnapshot snapshot) {
    long live = snapshot.nodesLive();
    int wish = snapshot.counts().wish();
    String workers =
        live == wish
            ? Amounts.count(live, "worker")
            : "%,d of %s".formatted(live, Amounts.count(wish, "worker"));
    return snapshot.world().reforming() ? workers + ", changing" : workers;
  }
}
