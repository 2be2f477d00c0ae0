package dev.pliant.operator.cluster;

import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.PodWaiting;
import dev.pliant.operator.decision.PodView;
import dev.pliant.operator.decision.PodView.Stage;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What matters of pods, from what Kubernetes says of them.
final class PodViews {
  private PodViews() {}

  /// @param jobUid of the job that the pod would belong to
  static PodView of(Pod pod, String jobUid) {
    PodStatus status = Objects.requireNonNullElseGet(pod.getStatus(), PodStatus::new);
    Stage stage = stage(pod, status);
    return new PodView(
        pod.getMetadata().getName(),
        String.valueOf(pod.getMetadata().getUid()),
        role(pod),
        ownedBy(pod, jobUid),
        stage,
        isTrue(status, "Ready"),
        grace(pod),
        time(pod.getMetadata().getCreationTimestamp(), Instant.EPOCH),
        stage == Stage.SUCCEEDED || stage == Stage.FAILED ? endedAt(status) : null,
        stage == Stage.PENDING || stage == Stage.RUNNING ? PodWaiting.of(status) : null);
  }

  /// Whether it runs or will run.
  static boolean lives(Pod pod) {
    return pod.getStatus() == null
        || switch (stage(pod, pod.getStatus())) {
          case PENDING, RUNNING -> true;
          case SUCCEEDED, FAILED -> false;
        };
  }

  static boolean ownedBy(HasMetadata object, String uid) {
    return object.getMetadata().getOwnerReferences().stream()
        .anyMatch(owner -> uid.equals(owner.getUid()));
  }

  private static String role(Pod pod) {
    Map<String, String> labels = pod.getMetadata().getLabels();
    return labels == null ? "" : labels.getOrDefault(JobNames.ROLE_LABEL, "");
  }

  private static Stage stage(Pod pod, PodStatus status) {
    return switch (status.getPhase()) {
      case "Running" -> role(pod).equals(JobNames.MASTER) ? Stage.RUNNING : running(status);
      case "Succeeded" -> Stage.SUCCEEDED;
      case "Failed" -> Stage.FAILED;
      case null, default -> Stage.PENDING; // Unknown, too: its machine is not heard of.
    };
  }

  /// Kubernetes calls a pod running for a while after the last of its containers has ended. A
  /// node's is not started again, so it has ended then; a master's is.
  private static Stage running(PodStatus status) {
    List<ContainerStatus> containers = status.getContainerStatuses();
    boolean allEnded =
        !containers.isEmpty()
            && containers.stream()
                .map(ContainerStatus::getState)
                .allMatch(state -> state != null && state.getTerminated() != null);
    if (!allEnded) {
      return Stage.RUNNING;
    }
    boolean failed =
        containers.stream()
            .map(container -> container.getState().getTerminated().getExitCode())
            .anyMatch(code -> code == null || code != 0);
    return failed ? Stage.FAILED : Stage.SUCCEEDED;
  }

  private static @Nullable Long grace(Pod pod) {
    if (pod.getMetadata().getDeletionTimestamp() == null) {
      return null;
    }
    return Objects.requireNonNullElse(pod.getMetadata().getDeletionGracePeriodSeconds(), 0L);
  }

  private static @Nullable Instant endedAt(PodStatus status) {
    return containers(status)
        .map(ContainerStatus::getState)
        .filter(state -> state != null && state.getTerminated() != null)
        .map(state -> time(state.getTerminated().getFinishedAt(), Instant.EPOCH))
        .filter(end -> end.isAfter(Instant.EPOCH))
        .max(Instant::compareTo)
        .orElse(null);
  }

  private static Stream<ContainerStatus> containers(PodStatus status) {
    return Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses())
        .filter(Objects::nonNull)
        .flatMap(List::stream);
  }

  private static boolean isTrue(PodStatus status, String type) {
    return status.getConditions().stream()
        .anyMatch(c -> type.equals(c.getType()) && "True".equals(c.getStatus()));
  }

  static Instant time(@Nullable String text, Instant otherwise) {
    return text == null ? otherwise : OffsetDateTime.parse(text).toInstant();
  }
}
