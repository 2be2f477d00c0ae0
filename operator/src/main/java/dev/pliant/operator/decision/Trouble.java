package dev.pliant.operator.decision;

import dev.pliant.kubernetes.PodWaiting;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Why pods do not start, where waiting alone will not help.
///
/// @param reason one word, Kubernetes' own where it has one
/// @param message which pod, what Kubernetes says, what to do
record Trouble(String reason, String message) {
  static final String REFUSED = "PodRefused";
  static final String OBJECT_REFUSED = "ObjectRefused";

  /// The first trouble among `pods` and `refusals`, and whether it is the only one; null where
  /// there is none. How many there are is not said: it would be news with each of them.
  static @Nullable Trouble among(List<PodView> pods, List<Refusal> refusals) {
    List<Trouble> troubles = new ArrayList<>();
    refusals.stream()
        .filter(refusal -> refusal.obstacle() == null) // That is NameRule's to say.
        .forEach(refusal -> troubles.add(of(refusal)));
    for (PodView pod : pods) {
      Trouble trouble = pod.stays() ? of(pod) : null;
      if (trouble != null) {
        troubles.add(trouble);
      }
    }
    if (troubles.isEmpty()) {
      return null;
    }
    Trouble first = troubles.getFirst();
    return troubles.size() == 1
        ? first
        : new Trouble(first.reason, first.message + " Others do not start, either.");
  }

  private static Trouble of(Refusal refusal) {
    boolean object =
        Arrays.stream(JobObject.values()).anyMatch(o -> o.word().equals(refusal.pod()));
    return new Trouble(
        object ? OBJECT_REFUSED : REFUSED,
        "%s%s was refused: %s Change the job or what the namespace allows; it is tried again."
            .formatted(object ? "The job's " : "", refusal.pod(), sentence(refusal.message())));
  }

  private static @Nullable Trouble of(PodView pod) {
    PodWaiting waiting = pod.waiting();
    if (waiting == null) {
      return null;
    }
    String advice = advice(pod, waiting);
    return advice == null
        ? null
        : new Trouble(
            waiting.reason(),
            "%s: %s. %s%s"
                .formatted(
                    pod.name(),
                    waiting.reason(),
                    waiting.message().isBlank() ? "" : sentence(waiting.message()) + " ",
                    advice));
  }

  /// What to do, or null where a pod that waits for this will start by itself.
  private static @Nullable String advice(PodView pod, PodWaiting waiting) {
    return switch (waiting.reason()) {
      case "ImagePullBackOff",
          "ErrImagePull",
          "ErrImageNeverPull",
          "InvalidImageName",
          "RegistryUnavailable" ->
          "Check the image's name and tag, and that the cluster may pull it (imagePullSecrets).";
      case "Unschedulable" ->
          "Ask for less in the role's resources, free some of the cluster, or add machines.";
      case "CreateContainerConfigError" ->
          waiting.message().contains("runAsNonRoot")
              ? "Set securityContext.runAsUser in the role's template, or use an image with a user by number."
              : "Make the ConfigMap, Secret or key that the role's template names.";
      case "CreateContainerError", "RunContainerError", "ContainerCannotRun", "StartError" ->
          "Check command and volumes of the role's template.";
      case "CrashLoopBackOff" -> "See why: kubectl logs %s --previous.".formatted(pod.name());
      case "SchedulingGated" -> "Remove the scheduling gates of the role's template.";
      default -> null;
    };
  }

  /// A kubelet tries and waits in turn, and says so: that is one trouble, not two.
  static String family(String reason) {
    return switch (reason) {
      case "ErrImagePull" -> "ImagePullBackOff";
      case "RunContainerError", "StartError", "ContainerCannotRun" -> "CrashLoopBackOff";
      default -> reason;
    };
  }

  private static String sentence(String text) {
    String trimmed = text.strip().replaceAll("\\s+", " ");
    return trimmed.endsWith(".") ? trimmed : trimmed + ".";
  }
}
