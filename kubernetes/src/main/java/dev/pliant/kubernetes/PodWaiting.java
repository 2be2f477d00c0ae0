package dev.pliant.kubernetes;

import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Why a pod does not start, in Kubernetes' words.
///
/// @param reason one word
/// @param message a sentence; may be empty
public record PodWaiting(String reason, String message) {
  /// A pod that waits for these starts by itself.
  private static final Set<String> USUAL = Set.of("ContainerCreating", "PodInitializing", "");

  /// What the pod waits for: a machine, or else the first container that waits for something; null
  /// where all goes its way.
  public static @Nullable PodWaiting of(@Nullable PodStatus status) {
    if (status == null) {
      return null;
    }
    return Stream.concat(conditions(status), containers(status)).findFirst().orElse(null);
  }

  private static Stream<PodWaiting> conditions(PodStatus status) {
    return Objects.requireNonNullElse(status.getConditions(), List.<PodCondition>of()).stream()
        .filter(c -> "PodScheduled".equals(c.getType()) && "False".equals(c.getStatus()))
        .filter(c -> c.getReason() != null)
        .map(c -> new PodWaiting(c.getReason(), text(c.getMessage())));
  }

  private static Stream<PodWaiting> containers(PodStatus status) {
    return Stream.of(status.getInitContainerStatuses(), status.getContainerStatuses())
        .filter(Objects::nonNull)
        .flatMap(List::stream)
        .map(ContainerStatus::getState)
        .filter(state -> state != null && state.getWaiting() != null)
        .map(state ->
            new PodWaiting(
                text(state.getWaiting().getReason()), text(state.getWaiting().getMessage())))
        .filter(waiting -> !USUAL.contains(waiting.reason));
  }

  private static String text(@Nullable String text) {
    return text == null ? "" : text.strip();
  }
}
