package dev.pliant.operator.decision;

import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Rule;
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
/// | does not work, or takes too long | the nodes are told to go, then the master; one that makes its pods itself goes first, else it would replace them. Those whose machine does not answer are not waited for |
final class SuspendRule {
  /// How long a master may take to let its nodes go.
  static final Duration MASTER_RELEASES = Duration.ofSeconds(60);

  /// How long pods that were told to go are waited for beyond the time that they were given. A
  /// machine that is gone never says that its pods have ended.
  static final Duration MACHINE_ANSWERS = Duration.ofSeconds(30);

  /// A pod that is said to have all its time is not waited for any longer than this.
  private static final Duration MOST_GRACE = Duration.ofMinutes(10);

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
    boolean waits = first.stream().anyMatch(pod -> isAwaited(pod, seen));
    stop(waits ? first : second, draft);
    if (waits) {
      first.stream()
          .filter(PodView::deleting)
          .map(pod -> lost(pod, seen))
          .filter(seen.now()::isBefore)
          .forEach(draft::lookAgainAt);
    }
  }

  private static boolean isAwaited(PodView pod, Observed seen) {
    return pod.stays() || (!pod.ended() && seen.now().isBefore(lost(pod, seen)));
  }

  /// From when on nobody waits for a pod that was told to go.
  private static Instant lost(PodView pod, Observed seen) {
    long grace = pod.grace() == null ? 0 : Math.min(pod.grace(), MOST_GRACE.toSeconds());
    return since(seen).plus(MASTER_RELEASES).plusSeconds(grace).plus(MACHINE_ANSWERS);
  }

  /// What the job that is being suspended waits for.
  static String awaited(Observed seen) {
    List<String> lost =
        seen.pods().stream()
            .filter(pod -> pod.ours() && !pod.ended() && !isAwaited(pod, seen))
            .map(PodView::name)
            .toList();
    return lost.isEmpty()
        ? "Pods are told to go."
        : "%s was told to go and has not said that it ended; if its machine is gone, 'kubectl delete pod %s --force' lets the job rest."
            .formatted(Draft.names(lost), lost.getFirst());
  }

  private static void stop(List<PodView> pods, Draft draft) {
    draft.delete(
        pods.stream().filter(PodView::stays).toList(),
        null,
        Rule.PODS_SUSPENDED,
        Objection.JOB_IS_SUSPENDED);
  }
}
