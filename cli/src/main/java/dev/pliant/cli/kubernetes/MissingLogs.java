package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Place.PodView;
import dev.pliant.crds.Role;
import dev.pliant.crds.kubernetes.JobNames;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;

/// Why there is nothing to read, for people: silence would look like a job that prints nothing.
final class MissingLogs {
  private MissingLogs() {}

  /// Of a pod whose container has not begun.
  static String notBegun(Pod pod) {
    PodView view = PodViews.of(pod);
    String reason = view.reason().isEmpty() ? "" : ", " + view.reason();
    String message = view.message().lines().findFirst().map(line -> ": " + line).orElse("");
    return ended(
        "%s has printed nothing yet: its pod %s is %s%s%s"
            .formatted(view.node(), view.name(), view.phase(), reason, message));
  }

  static String gone(Pod pod) {
    return "the pod %s is gone, and its log with it.".formatted(pod.getMetadata().getName());
  }

  /// Whether a node may come to be called so, though there is none yet: `worker-7`, but not
  /// `woker-7`.
  static boolean mayCome(String node) {
    try {
      return node.equals(JobNames.MASTER)
          || Role.of(NodeId.parse(node).role()).filter(role -> role != Role.MASTER).isPresent();
    } catch (PliantException e) {
      return false;
    }
  }

  private static String ended(String sentence) {
    return sentence.endsWith(".") ? sentence : sentence + ".";
  }
}
