package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Conditions.NAMES_FREE;

import dev.pliant.crds.api.JobStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/// Says what is in the way of a job's objects and pods, and what to do about it. What goes by
/// itself is no trouble before it has stayed for a while: so it is each time that a job is deleted
/// and made again.
final class NameRule {
  static final String TAKEN = "NameTaken";

  /// Something is in the way that goes by itself.
  static final String COLLECTED = "BeingCollected";

  /// How long Kubernetes may take to collect what it is to collect.
  static final Duration PATIENCE = Duration.ofSeconds(60);

  private NameRule() {}

  /// Said only of jobs to which it has happened.
  static void apply(Observed seen, boolean runs, Conditions conditions) {
    List<Obstacle> obstacles = runs ? obstacles(seen) : List.of();
    if (obstacles.isEmpty()) {
      if (conditions.has(NAMES_FREE)) {
        conditions.set(NAMES_FREE, true, "NamesFree", "Nothing is in the job's way.");
      }
      return;
    }
    List<Obstacle> stay = obstacles.stream().filter(obstacle -> !obstacle.going()).toList();
    if (stay.isEmpty() && !late(seen, conditions)) {
      conditions.set(
          NAMES_FREE,
          false,
          COLLECTED,
          "In the way by its name: %s%s. It goes by itself, and the job waits for that."
              .formatted(obstacles.getFirst().words(), obstacles.size() == 1 ? "" : " and others"));
      return;
    }
    List<Obstacle> wrong = stay.isEmpty() ? obstacles : stay;
    String namespace = Objects.requireNonNull(seen.job().names()).namespace();
    conditions.set(
        NAMES_FREE,
        false,
        TAKEN,
        "In the way by its name: %s. It is left alone, and the job waits. Delete it (%s), or give the job another name."
            .formatted(
                Draft.names(wrong.stream().map(Obstacle::words).toList()),
                wrong.getFirst().remedy(namespace)));
  }

  /// What goes by itself is trouble once it has stayed for too long, which nobody tells.
  static void waitFor(JobStatus status, Observed seen, Draft draft) {
    Condition condition = Conditions.find(status.conditions(), NAMES_FREE);
    if (condition != null && COLLECTED.equals(condition.getReason())) {
      draft.lookAgainAt(seen.now().plus(ObjectRule.COLLECTION));
    }
  }

  /// Of pods, those whose names are to be given next.
  private static List<Obstacle> obstacles(Observed seen) {
    Stream<Obstacle> seenOnes = seen.obstacles().stream();
    Stream<Obstacle> metOnes =
        seen.refusals().stream().map(Refusal::obstacle).filter(Objects::nonNull);
    return Stream.concat(seenOnes, metOnes)
        .filter(obstacle -> !obstacle.kind().equals(Obstacle.POD) || wanted(seen, obstacle.name()))
        .distinct()
        .toList();
  }

  private static boolean wanted(Observed seen, String pod) {
    PlanView plan = seen.validPlan();
    boolean node =
        plan != null
            && plan.toRun().containsKey(pod)
            && !plan.made().contains(pod)
            && !plan.toGo().containsKey(pod);
    return node || pod.equals(MasterRule.missing(seen));
  }

  private static boolean late(Observed seen, Conditions conditions) {
    Condition before = conditions.get(NAMES_FREE);
    return before != null
        && "False".equals(before.getStatus())
        && Instant.parse(before.getLastTransitionTime()).plus(PATIENCE).isBefore(seen.now());
  }
}
