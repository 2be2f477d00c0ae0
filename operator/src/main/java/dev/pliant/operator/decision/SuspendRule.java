package dev.pliant.operator.decision;

import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.ScalerKind;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/// Nothing of a suspended job runs. Its objects and what ended stay: the next master goes on where
/// the journal ends.
///
/// | its master | what follows |
/// |---|---|
/// | works | it lets its nodes go, by its plan as ever, and notes that the job rests; for that it has [#MASTER_RELEASES] |
/// | says that the job rests and that no node is left | goes |
/// | does not work, or takes too long | the nodes are told to go, then the master; one that makes its pods itself goes first, else it would replace them |
final class SuspendRule {
  /// How long a master may take to let its nodes go.
  static final Duration MASTER_RELEASES = Duration.ofSeconds(60);

  private SuspendRule() {}

  static void apply(Observed seen, Draft draft) {
    Instant patience = since(seen).plus(MASTER_RELEASES);
    if (masterWorks(seen) && !rests(seen) && seen.now().isBefore(patience)) {
      NodeRule.apply(seen, draft);
      draft.lookAgainAt(patience);
    } else {
      stopAll(seen, draft);
    }
  }

  private static boolean masterWorks(Observed seen) {
    return seen.masterPods().stream().anyMatch(pod -> pod.stays() && pod.ready());
  }

  private static boolean rests(Observed seen) {
    PlanView plan = seen.validPlan();
    return plan != null && plan.rests();
  }

  /// Since when the job is being suspended: as its status has it, else since now.
  private static Instant since(Observed seen) {
    JobStatus status = seen.job().status();
    Condition suspended =
        status == null ? null : Conditions.find(status.conditions(), JobStatus.SUSPENDED);
    return suspended != null
            && Conditions.UNKNOWN.equals(suspended.getStatus())
            && suspended.getLastTransitionTime() != null
        ? Instant.parse(suspended.getLastTransitionTime())
        : seen.now();
  }

  private static void stopAll(Observed seen, Draft draft) {
    boolean masterFirst = seen.job().spec().scaler() == ScalerKind.PodScaler;
    List<PodView> first = masterFirst ? seen.masterPods() : seen.nodePods();
    List<PodView> second = masterFirst ? seen.nodePods() : seen.masterPods();
    stop(lives(first) ? first : second, draft);
  }

  private static boolean lives(List<PodView> pods) {
    return pods.stream().anyMatch(pod -> !pod.ended());
  }

  private static void stop(List<PodView> pods, Draft draft) {
    draft.delete(
        pods.stream().filter(PodView::stays).toList(),
        null,
        "PodsSuspended",
        "told to go: the job is suspended");
  }
}
