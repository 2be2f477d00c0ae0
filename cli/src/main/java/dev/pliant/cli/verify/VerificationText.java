package dev.pliant.cli.verify;

import dev.pliant.cli.Table;
import dev.pliant.master.verify.Verification;
import dev.pliant.master.verify.Verification.Dataset;
import dev.pliant.master.verify.Verification.Fault;
import dev.pliant.master.verify.Verification.Happening;
import dev.pliant.master.verify.Verification.RecordHistory;
import dev.pliant.model.DatasetSpec.Source;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;

/// What was found, for people.
public final class VerificationText {
  private static final DateTimeFormatter TIME =
      DateTimeFormatter.ofPattern("HH:mm:ss.SSS").withZone(ZoneId.systemDefault());

  private VerificationText() {}

  /// The fate of the records of every dataset, and the verdict.
  public static List<String> lines(Verification found) {
    if (found.datasets().isEmpty()) {
      return List.of("verify: job %s has no dataset.".formatted(found.job()));
    }
    List<List<String>> rows = new ArrayList<>();
    rows.add(List.of("DATASET", "DONE", "OUT", "WAITING", "EPOCH", "STATE"));
    found.datasets().forEach(dataset -> rows.add(row(dataset)));
    List<String> lines = new ArrayList<>(Table.lines(rows));
    for (Dataset dataset : found.datasets()) {
      faults(dataset, lines);
    }
    lines.add("verify: " + verdict(found));
    return lines;
  }

  private static List<String> row(Dataset dataset) {
    boolean stream = dataset.spec().source() instanceof Source.Stream;
    return List.of(
        dataset.spec().name().value(),
        "%,d".formatted(dataset.done() - dataset.before()),
        "%,d".formatted(dataset.out()),
        "%,d".formatted(dataset.waiting()),
        stream
            ? "stream"
            : "%,d of %,d"
                .formatted(
                    Math.min(dataset.epoch() + 1, dataset.spec().epochs()),
                    dataset.spec().epochs()),
        state(dataset));
  }

  private static String state(Dataset dataset) {
    if (!dataset.failure().isEmpty()) {
      return "failed";
    }
    return dataset.complete() ? "complete" : "open";
  }

  private static void faults(Dataset dataset, List<String> lines) {
    if (dataset.before() > 0) {
      lines.add(
          "dataset %s: %,d more records were taken over from a checkpoint; this run did not train them"
              .formatted(dataset.spec().name(), dataset.before()));
    }
    if (!dataset.failure().isEmpty()) {
      lines.add("dataset %s failed: %s".formatted(dataset.spec().name(), dataset.failure()));
    }
    for (Fault fault : dataset.faults()) {
      lines.add(
          "dataset %s, epoch %,d, %s: completed %d times"
              .formatted(
                  dataset.spec().name(), fault.epoch(), fault.records(), fault.completions()));
    }
    if (dataset.faultCount() > dataset.faults().size()) {
      lines.add("… and %,d more".formatted(dataset.faultCount() - dataset.faults().size()));
    }
  }

  private static String verdict(Verification found) {
    if (!found.holds()) {
      return "NOT every record has exactly one completion; the lines above say which.";
    }
    long takenOver = found.datasets().stream().mapToLong(Dataset::before).sum();
    if (found.complete() && takenOver > 0) {
      return "the job is complete. No record was completed more than once by this run; %,d were taken over from a checkpoint."
          .formatted(takenOver);
    }
    return found.complete()
        ? "every record of every epoch was completed exactly once."
        : "no record has more or less completions than it should; the job is not complete.";
  }

  /// What happened to certain records.
  public static List<String> lines(List<RecordHistory> histories) {
    List<String> lines = new ArrayList<>();
    for (RecordHistory history : histories) {
      lines.add("record %,d".formatted(history.record()));
      if (history.happenings().isEmpty()) {
        lines.add("  not handed out yet");
      }
      for (Happening happening : history.happenings()) {
        lines.add(
            "  %s  event %,d  epoch %,d  %s"
                .formatted(
                    TIME.format(happening.at()),
                    happening.sequence(),
                    happening.epoch(),
                    happening.what()));
      }
    }
    return lines;
  }
}
