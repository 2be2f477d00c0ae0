package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Place.PodView;
import dev.pliant.crds.Role;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Pod;
import java.time.Duration;
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

  /// Of a pod whose log is there, but out of reach.
  ///
  /// @param why without a full stop, or with one
  static String unreadable(Pod pod, String why) {
    PodView view = PodViews.of(pod);
    return ended(
        "the log of pod %s%s cannot be read: %s"
            .formatted(
                view.name(), view.machine().isEmpty() ? "" : " on machine " + view.machine(), why));
  }

  /// Of a pod that outlives its job.
  static String silent(Pod pod, Duration silence) {
    return "the pod %s has not ended with its job, and has printed nothing for %d s; what it prints from now on is not shown."
        .formatted(pod.getMetadata().getName(), silence.toSeconds());
  }

  /// What a command ends with that could not show everything.
  static PliantException incomplete(List<String> pods) {
    return new PliantException(
        ErrorCode.NO_CLUSTER,
        "not all logs could be read; %s missing, in part or as a whole: %s."
            .formatted(
                pods.size() == 1 ? "one is" : pods.size() + " are", String.join(", ", pods)));
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
