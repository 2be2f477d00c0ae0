package dev.pliant.cli.run;

import dev.pliant.cli.Json;
import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Node;
import dev.pliant.cli.jobs.JobText;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPhase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// How a run ended.
///
/// @param reasons why it did not succeed, a sentence each; empty where it did
/// @param metrics what the training said of itself last
/// @param changes how often the group of workers changed
/// @param paused how long no step was done because of that
/// @param relaunches workers that took the place of another
/// @param nodes every node there was
/// @param signal the signal that ended it, or 0
public record RunResult(
    JobId job,
    Outcome outcome,
    List<String> reasons,
    long recordsDone,
    long recordsTotal,
    Duration duration,
    Map<String, Double> metrics,
    long changes,
    Duration paused,
    long relaunches,
    int masterRestarts,
    List<Node> nodes,
    int signal) {

  /// What became of a run.
  public enum Outcome {
    SUCCEEDED,
    FAILED,
    STOPPED
  }

  public RunResult {
    reasons = List.copyOf(reasons);
    metrics = Collections.unmodifiableMap(new TreeMap<>(metrics));
    nodes = List.copyOf(nodes);
  }

  /// @param snapshot the job at its end, or null where no master could tell
  static RunResult of(
      JobId job,
      Outcome outcome,
      List<String> reasons,
      @Nullable JobSnapshot snapshot,
      Duration duration,
      int masterRestarts) {
    return snapshot == null
        ? new RunResult(
            job,
            outcome,
            reasons,
            0,
            0,
            duration,
            Map.of(),
            0,
            Duration.ZERO,
            0,
            masterRestarts,
            List.of(),
            0)
        : new RunResult(
            job,
            outcome,
            reasons,
            snapshot.done(),
            snapshot.total(),
            duration,
            snapshot.metrics(),
            snapshot.changes(),
            Duration.ofMillis(snapshot.world().pausedMillis()),
            snapshot.relaunches(),
            masterRestarts,
            snapshot.nodes(),
            0);
  }

  /// Why a job that is over is no success, a sentence each.
  ///
  /// @param snapshot what the master says now, or null where none answers
  static List<String> reasons(@Nullable JobSnapshot snapshot) {
    if (snapshot == null) {
      return List.of("no master answers, so how far the data is cannot be told.");
    }
    List<String> reasons = new ArrayList<>();
    if (snapshot.phase() != JobPhase.SUCCEEDED) {
      reasons.add(
          "the job %s%s."
              .formatted(
                  snapshot.phase() == JobPhase.STOPPED ? "was stopped" : "failed",
                  snapshot.phaseReason().isEmpty() ? "" : ": " + trimmed(snapshot.phaseReason())));
    }
    for (JobSnapshot.Dataset dataset : snapshot.unfinished()) {
      if (dataset.state() == JobSnapshot.State.FAILED) {
        reasons.add("dataset '%s' has failed: %s.".formatted(dataset.name(), dataset.failure()));
      } else if (snapshot.phase() == JobPhase.SUCCEEDED) {
        reasons.add(
            "all workers have ended, but %,d of the %,d records of dataset '%s' are left."
                .formatted(dataset.total() - dataset.done(), dataset.total(), dataset.name()));
      }
    }
    return reasons;
  }

  private static String trimmed(String sentence) {
    return sentence.endsWith(".") ? sentence.substring(0, sentence.length() - 1) : sentence;
  }

  /// The same run with verify's word on it.
  RunResult verified(boolean holds) {
    return holds || outcome != Outcome.SUCCEEDED
        ? this
        : with(
            Outcome.FAILED,
            List.of("the journal does not show every record done once."),
            recordsDone,
            signal);
  }

  /// The same run without the records that it did not train itself.
  RunResult withoutTakenOver(long records) {
    return with(outcome, reasons, Math.max(0, recordsDone - records), signal);
  }

  /// The same run, ended by a signal.
  RunResult endedBy(int number) {
    return with(outcome, reasons, recordsDone, number);
  }

  private RunResult with(
      Outcome otherOutcome, List<String> otherReasons, long otherDone, int otherSignal) {
    return new RunResult(
        job,
        otherOutcome,
        otherReasons,
        otherDone,
        recordsTotal,
        duration,
        metrics,
        changes,
        paused,
        relaunches,
        masterRestarts,
        nodes,
        otherSignal);
  }

  /// As a shell counts it.
  public int exitCode() {
    if (signal != 0) {
      return 128 + signal;
    }
    return outcome == Outcome.SUCCEEDED ? 0 : 1;
  }

  /// For people.
  public List<String> summary() {
    double seconds = duration.toNanos() / 1e9;
    List<String> lines = new ArrayList<>();
    lines.add(
        "job %s %s: %,d of %,d records in %s (%,.0f a second)."
            .formatted(
                job,
                outcome.name().toLowerCase(Locale.ROOT),
                recordsDone,
                recordsTotal,
                Amounts.seconds(duration),
                seconds == 0 ? 0 : recordsDone / seconds));
    if (!metrics.isEmpty()) {
      lines.add("reached: " + JobText.metrics(metrics) + ".");
    }
    lines.add(
        "survived: %s of the group, %s lost to them; %s relaunched; master restarted %s."
            .formatted(
                Amounts.count(changes, "change"),
                Amounts.seconds(paused),
                Amounts.count(relaunches, "worker"),
                Amounts.count(masterRestarts, "time")));
    return lines;
  }

  /// For programs. Fields are only ever added.
  public String json() {
    return Json.object(json -> {
      json.writeStringField("job", job.toString());
      json.writeStringField("outcome", outcome.name().toLowerCase(Locale.ROOT));
      json.writeArrayFieldStart("reasons");
      for (String reason : reasons) {
        json.writeString(reason);
      }
      json.writeEndArray();
      json.writeNumberField("recordsDone", recordsDone);
      json.writeNumberField("recordsTotal", recordsTotal);
      json.writeNumberField("seconds", duration.toMillis() / 1e3);
      json.writeObjectFieldStart("metrics");
      for (Map.Entry<String, Double> metric : metrics.entrySet()) {
        json.writeNumberField(metric.getKey(), metric.getValue());
      }
      json.writeEndObject();
      json.writeNumberField("changes", changes);
      json.writeNumberField("pausedSeconds", paused.toMillis() / 1e3);
      json.writeNumberField("relaunches", relaunches);
      json.writeNumberField("masterRestarts", masterRestarts);
      json.writeObjectFieldStart("workers");
      for (Node node : nodes) {
        json.writeStringField(
            node.name(),
            node.reason().isEmpty()
                ? node.phase().name().toLowerCase(Locale.ROOT)
                : node.phase().name().toLowerCase(Locale.ROOT) + ": " + node.reason());
      }
      json.writeEndObject();
    });
  }
}
