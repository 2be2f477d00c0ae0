package dev.pliant.operator.decision;

import static java.util.Comparator.comparingInt;

import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import dev.pliant.operator.decision.PodView.Stage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A job that is to run has one master. A new one has a new number, so it need not wait until the
/// old one is gone: the older one's word is refused by its epoch.
final class MasterRule {
  /// A master's last word and its end travel apart: one that ended well is given this long to be
  /// heard.
  static final Duration LAST_WORD = Duration.ofSeconds(10);

  /// A master that ended sooner than this did not work.
  static final Duration WORKED = Duration.ofSeconds(60);

  /// Of masters that ended, so many are kept for their logs.
  static final int KEPT = 5;

  private static final Duration FIRST_WAIT = Duration.ofSeconds(1);

  private MasterRule() {}

  static void apply(Observed seen, Draft draft) {
    List<PodView> newestFirst =
        seen.masterPods().stream().sorted(comparingInt(PodView::number).reversed()).toList();
    List<PodView> staying = newestFirst.stream().filter(PodView::stays).toList();
    if (staying.isEmpty()) {
      start(seen, newestFirst, draft);
    } else {
      draft.delete(
          staying.subList(1, staying.size()),
          null,
          Rule.MASTER_SUPERSEDED,
          Objection.NEWER_MASTER_RUNS);
    }
    List<PodView> ended =
        newestFirst.stream().filter(pod -> pod.ended() && !pod.deleting()).toList();
    draft.delete(
        ended.subList(Math.min(KEPT, ended.size()), ended.size()),
        null,
        Rule.MASTER_FORGOTTEN,
        Objection.TOO_MANY_KEPT);
  }

  /// The pod that the job's next master is to have, or null while it has a master.
  static @Nullable String missing(Observed seen) {
    JobNames names = seen.job().names();
    return names == null || seen.masterPods().stream().anyMatch(PodView::stays)
        ? null
        : names.masterPod(next(seen));
  }

  private static int next(Observed seen) {
    int newest = seen.masterPods().stream().mapToInt(PodView::number).max().orElse(-1);
    return Math.max(seen.job().masterStarts(), newest + 1);
  }

  private static void start(Observed seen, List<PodView> newestFirst, Draft draft) {
    int number = next(seen);
    String name = Objects.requireNonNull(seen.job().names()).masterPod(number);
    Instant due = due(newestFirst);
    Refusal refusal = seen.refusalOf(name);
    if (refusal != null && refusal.tryAgainAt().isAfter(due)) {
      due = refusal.tryAgainAt();
    }
    if (due.isAfter(seen.now())) {
      draft.lookAgainAt(due);
    } else if (!seen.taken(name)) {
      draft.act(new Action.CreateMaster(number));
      draft.decide(created(name, number, newestFirst));
    }
  }

  /// When the next master may start: at once, unless the ones before kept ending soon.
  private static Instant due(List<PodView> newestFirst) {
    if (newestFirst.isEmpty() || !newestFirst.getFirst().ended()) {
      return Instant.MIN;
    }
    PodView last = newestFirst.getFirst();
    long soon =
        newestFirst.stream()
            .takeWhile(pod -> pod.ended() && lived(pod).compareTo(WORKED) < 0)
            .limit(KEPT)
            .count();
    Duration wait = soon == 0 ? Duration.ZERO : FIRST_WAIT.multipliedBy(1L << soon);
    if (last.stage() == Stage.SUCCEEDED && wait.compareTo(LAST_WORD) < 0) {
      wait = LAST_WORD;
    }
    return last.end().plus(wait);
  }

  private static Duration lived(PodView pod) {
    return Duration.between(pod.createdAt(), pod.end());
  }

  private static Choice created(String name, int number, List<PodView> newestFirst) {
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.count(InputName.PODS, number));
    Plan plan = Plan.CreatePods.of(List.of(name));
    if (!newestFirst.isEmpty()) {
      PodView last = newestFirst.getFirst();
      inputs.add(Input.name(InputName.REPLACES, last.name()));
      inputs.add(
          Input.name(
              InputName.TRIGGER,
              last.deleting()
                  ? "deleted"
                  : last.stage() == Stage.SUCCEEDED ? "unfinished" : "failed"));
      plan = new Plan.ReplacePod(last.name(), name);
    }
    return new Choice(
        new Subject.OfPod(name), Rule.MASTER_CREATED, inputs, Alternatives.nonePossible(), plan);
  }
}
