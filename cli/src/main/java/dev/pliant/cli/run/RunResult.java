package dev.pliant.cli.run;

import dev.pliant.cli.Json;
import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.model.JobId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How a run ended.
///
/// @param reasons why it did not succeed, a sentence each; empty where it did
/// @param exitCodes of the workers, by name
public record RunResult(
    JobId job,
    Outcome outcome,
    List<String> reasons,
    long recordsDone,
    long recordsTotal,
    Duration duration,
    int masterRestarts,
    Map<String, Integer> exitCodes) {

  /// What became of a run.
  public enum Outcome {
    SUCCEEDED,
    FAILED,
    STOPPED
  }

  public RunResult {
    reasons = List.copyOf(reasons);
    exitCodes = Collections.unmodifiableMap(new LinkedHashMap<>(exitCodes));
  }

  /// Why workers that have all ended do not make a success, a sentence each.
  ///
  /// @param snapshot what the master says about the data now, or null where none answers
  static List<String> reasons(
      int workers, Map<String, Integer> exitCodes, @Nullable JobSnapshot snapshot) {
    List<String> reasons = new ArrayList<>();
    exitCodes.forEach((worker, exitCode) -> {
      if (exitCode != 0) {
        reasons.add("worker %s %s.".formatted(worker, Exits.describe(exitCode)));
      }
    });
    if (exitCodes.size() < workers) {
      reasons.add(
          "how %s ended is not known."
              .formatted(Amounts.count(workers - exitCodes.size(), "worker")));
    }
    if (snapshot == null) {
      reasons.add("no master answers, so how far the data is cannot be told.");
      return reasons;
    }
    for (JobSnapshot.Dataset dataset : snapshot.unfinished()) {
      reasons.add(
          dataset.state() == JobSnapshot.State.FAILED
              ? "dataset '%s' has failed: %s.".formatted(dataset.name(), dataset.failure())
              : "all workers have ended, but %,d of the %,d records of dataset '%s' are left."
                  .formatted(dataset.total() - dataset.done(), dataset.total(), dataset.name()));
    }
    return reasons;
  }

  /// The same run with verify's word on it.
  RunResult verified(boolean holds) {
    if (holds || outcome != Outcome.SUCCEEDED) {
      return this;
    }
    return new RunResult(
        job,
        Outcome.FAILED,
        List.of("the journal does not show every record done once."),
        recordsDone,
        recordsTotal,
        duration,
        masterRestarts,
        exitCodes);
  }

  public int exitCode() {
    return outcome == Outcome.SUCCEEDED ? 0 : 1;
  }

  /// For people.
  public String summary() {
    double seconds = duration.toNanos() / 1e9;
    return "job %s %s: %,d of %,d records in %s (%,.0f a second), %s, master restarted %s."
        .formatted(
            job,
            outcome.name().toLowerCase(Locale.ROOT),
            recordsDone,
            recordsTotal,
            Amounts.seconds(duration),
            seconds == 0 ? 0 : recordsDone / seconds,
            Amounts.count(exitCodes.size(), "worker"),
            Amounts.count(masterRestarts, "time"));
  }

  /// For programs.
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
      json.writeNumberField("masterRestarts", masterRestarts);
      json.writeObjectFieldStart("workers");
      for (Map.Entry<String, Integer> worker : exitCodes.entrySet()) {
        json.writeNumberField(worker.getKey(), worker.getValue());
      }
      json.writeEndObject();
    });
  }
}
