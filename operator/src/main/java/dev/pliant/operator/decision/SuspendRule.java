package dev.pliant.operator.decision;

import dev.pliant.crds.api.ScalerKind;
import java.util.List;

/// Nothing of a suspended job runs. Its nodes go in order while their master still answers them,
/// then the master; a master that makes its pods itself goes first, else it would replace them. Its
/// objects and what ended stay: the next master goes on where the journal ends.
final class SuspendRule {
  private SuspendRule() {}

  static void apply(Observed seen, Draft draft) {
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
