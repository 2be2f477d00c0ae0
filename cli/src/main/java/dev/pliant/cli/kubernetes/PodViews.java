package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.Place.PodView;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A pod in the few words that people want of it: where it is in its life, and why it waits or has
/// ended.
final class PodViews {
  private static final Comparator<PodView> MASTER_FIRST =
      Comparator.comparing((PodView pod) -> !pod.node().equals(JobNames.MASTER))
          .thenComparing(PodView::node, PodViews::byRoleAndNumber)
          .thenComparing(PodView::created)
          .thenComparing(PodView::name);

  private PodViews() {}

  static List<PodView> of(List<Pod> pods) {
    return pods.stream().map(PodViews::of).sorted(MASTER_FIRST).toList();
  }

  static PodView of(Pod pod) {
    PodStatus status = pod.getStatus() == null ? new PodStatus() : pod.getStatus();
    String phase = status.getPhase() == null ? "Pending" : status.getPhase();
    boolean leaving = pod.getMetadata().getDeletionTimestamp() != null;
    Why why = why(status, phase);
    return new PodView(
        pod.getMetadata().getName(),
        node(pod),
        leaving && !ended(phase) ? "Terminating" : phase,
        why.reason(),
        why.message(),
        containers(status)
            .mapToInt(c -> c.getRestartCount() == null ? 0 : c.getRestartCount())
            .sum(),
        pod.getSpec() == null || pod.getSpec().getNodeName() == null
            ? ""
            : pod.getSpec().getNodeName(),
        instant(pod.getMetadata().getCreationTimestamp()).orElse(Instant.EPOCH));
  }

  /// `worker-0`, or `master`; its own name where it says neither.
  static String node(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    if (labels == null) {
      return pod.getMetadata().getName();
    }
    String node = labels.get(JobNames.NODE_LABEL);
    return node != null
        ? node
        : labels.getOrDefault(JobNames.ROLE_LABEL, pod.getMetadata().getName());
  }

  static boolean ended(String phase) {
    return phase.equals("Succeeded") || phase.equals("Failed");
  }

  private record Why(String reason, String message) {
    private static final Why NOTHING = new Why("", "");

    static Why of(@Nullable String reason, @Nullable String message) {
      return new Why(reason == null ? "" : reason, message == null ? "" : message);
    }
  }

  /// The pod's own word first, then its containers', then the scheduler's.
  private static Why why(PodStatus status, String phase) {
    if (status.getReason() != null) {
      return Why.of(status.getReason(), status.getMessage());
    }
    Optional<Why> containers =
        containers(status).flatMap(container -> why(container, phase).stream()).findFirst();
    if (containers.isPresent()) {
      return containers.get();
    }
    if (!phase.equals("Pending") || status.getConditions() == null) {
      return Why.NOTHING;
    }
    return status.getConditions().stream()
        .filter(condition -> "PodScheduled".equals(condition.getType()))
        .filter(condition -> "False".equals(condition.getStatus()))
        .findFirst()
        .map((PodCondition condition) -> Why.of(condition.getReason(), condition.getMessage()))
        .orElse(Why.NOTHING);
  }

  private static Optional<Why> why(ContainerStatus container, String phase) {
    ContainerState state = container.getState();
    if (state == null) {
      return Optional.empty();
    }
    if (state.getWaiting() != null && state.getWaiting().getReason() != null) {
      return Optional.of(Why.of(state.getWaiting().getReason(), state.getWaiting().getMessage()));
    }
    ContainerStateTerminated end = state.getTerminated();
    boolean well = end == null || Integer.valueOf(0).equals(end.getExitCode());
    if (well || (!phase.equals("Failed") && !phase.equals("Running"))) {
      return Optional.empty();
    }
    String message = end.getMessage() == null ? "" : end.getMessage();
    return Optional.of(
        new Why(
            end.getReason() == null ? "Error" : end.getReason(),
            message.isEmpty() ? "exit code " + end.getExitCode() : message));
  }

  private static Stream<ContainerStatus> containers(PodStatus status) {
    return Stream.concat(
        Optional.ofNullable(status.getInitContainerStatuses()).stream().flatMap(List::stream),
        Optional.ofNullable(status.getContainerStatuses()).stream().flatMap(List::stream));
  }

  /// worker-2 before worker-10.
  private static int byRoleAndNumber(String left, String right) {
    try {
      return NodeId.parse(left).compareTo(NodeId.parse(right));
    } catch (PliantException e) {
      return left.compareTo(right);
    }
  }

  static Optional<Instant> instant(@Nullable String text) {
    return text == null || text.isEmpty() ? Optional.empty() : Optional.of(Instant.parse(text));
  }
}
