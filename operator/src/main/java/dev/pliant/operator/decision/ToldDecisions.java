package dev.pliant.operator.decision;

import dev.pliant.crds.api.DecisionNote;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.model.decision.Rule;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What a job's master has decided is told by Events, each decision once. How far that has come
/// stands in the job's status. An operator that dies just then tells some of them twice.
final class ToldDecisions {
  private ToldDecisions() {}

  /// Tells what was not told before.
  static void tell(Observed seen, Draft draft) {
    long told = told(seen);
    long missed = notes(seen).stream().mapToLong(DecisionNote::number).min().orElse(0) - told - 1;
    if (missed > 0 && told > 0) {
      draft.tell(
          Notice.normal(
              "DecisionsMissed",
              "%,d decisions came faster than they could be told; the job's journal has them"
                  .formatted(missed)));
    }
    for (DecisionNote note : notes(seen)) {
      if (note.number() > told) {
        draft.tell(
            Rule.find(note.rule()).map(Rule::isTrouble).orElse(false)
                ? Notice.warning(reason(note.rule()), note.message())
                : Notice.normal(reason(note.rule()), note.message()));
      }
    }
  }

  /// The newest decision that is told after that, or null where none ever was.
  static @Nullable Long newest(Observed seen) {
    long newest = Math.max(told(seen), highest(seen));
    return newest == 0 ? null : newest;
  }

  private static long told(Observed seen) {
    JobStatus status = seen.job().status();
    long told = status == null ? 0 : Objects.requireNonNullElse(status.decisionsTold(), 0L);
    return anew(seen, told) ? 0 : told;
  }

  /// A new master that has decided nothing yet, or one whose count is lower, has begun anew with
  /// another journal.
  private static boolean anew(Observed seen, long told) {
    PlanView plan = seen.validPlan();
    long highest = highest(seen);
    boolean first = plan != null && plan.epoch() > seen.job().masterEpoch();
    return highest == 0 ? first : highest < told;
  }

  private static long highest(Observed seen) {
    return notes(seen).stream().mapToLong(DecisionNote::number).max().orElse(0);
  }

  private static List<DecisionNote> notes(Observed seen) {
    PlanView plan = seen.validPlan();
    JobReport report = plan == null ? null : plan.report();
    return report == null || report.decisions() == null ? List.of() : report.decisions();
  }

  /// As Kubernetes writes reasons: `worker-failed` is `WorkerFailed`.
  private static String reason(String rule) {
    return Arrays.stream(rule.split("[^A-Za-z0-9]+"))
        .filter(word -> !word.isEmpty())
        .map(word -> word.substring(0, 1).toUpperCase(Locale.ROOT) + word.substring(1))
        .collect(Collectors.joining());
  }
}
