package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Place.PodView;
import dev.pliant.crds.Role;
import dev.pliant.crds.kubernetes.JobNames;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.List;
import java.util.Optional;

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

  /// Whether a node may come to be called so, though there is none: `worker-7`, but not `woker-7`,
  /// nor `worker-7` where there was a `worker-9`, for numbers do not come again.
  static boolean mayCome(String node, List<Pod> pods) {
    if (node.equals(JobNames.MASTER)) {
      return true;
    }
    Optional<NodeId> asked = node(node);
    boolean passed =
        pods.stream()
            .flatMap(pod -> node(PodViews.of(pod).node()).stream())
            .anyMatch(there ->
                asked.isPresent()
                    && there.role().equals(asked.get().role())
                    && there.number() > asked.get().number());
    return !passed
        && asked.flatMap(id -> Role.of(id.role())).filter(role -> role != Role.MASTER).isPresent();
  }

  private static Optional<NodeId> node(String name) {
    try {
      return Optional.of(NodeId.parse(name));
    } catch (PliantException e) {
      return Optional.empty();
    }
  }

  private static String ended(String sentence) {
    return sentence.endsWith(".") ? sentence : sentence + ".";
  }
}
