package dev.pliant.master.platform.kubernetes;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.kubernetes.MainContainer;
import dev.pliant.kubernetes.PodWaiting;
import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.ContainerState;
import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// What a node's pod says of the node. One container is the node ([MainContainer]): with its end,
/// the node has ended, whatever else the pod runs.
///
/// | what is seen | news |
/// |---|---|
/// | the container runs | Running |
/// | it does not run yet, and something is wrong | Pending, with what; whether a smaller one may find room |
/// | the cluster will not take the pod | the same |
/// | OOMKilled | Ended, out of memory |
/// | the agent left its last words | Ended, as it said |
/// | evicted, preempted, drained, its machine shut down or lost, deleted | Ended, killed |
/// | its machine would not take it: no room left, other labels, a device that is gone | Ended, killed |
/// | it ended otherwise | Ended, by its exit code and the end of its log |
final class PodNews {
  /// Why a pod as a whole fails that has met no fault of its own: it was sent away, or its machine
  /// would not take it, and another may. What no machine takes (`SysctlForbidden`, `AppArmor`) is
  /// the template's fault and stands not here.
  private static final Set<String> FROM_OUTSIDE =
      Set.of(
          "Evicted",
          "Preempting",
          "Shutdown",
          "NodeShutdown",
          "Terminated",
          "NodeLost",
          "NodeAffinity",
          "NodeName",
          "NodePorts",
          "NodeUnschedulable",
          "TaintToleration",
          "TopologyAffinityError",
          "UnexpectedAdmissionError",
          "VolumeAttachmentLimitExceeded");

  /// Before the name of what a machine has run out of, when its pod arrives: `OutOfcpu`.
  private static final String OUT_OF = "OutOf";

  private static final String UNSCHEDULABLE = "Unschedulable";

  /// Before the name of what a machine has too little of, for a scheduler: `Insufficient memory`.
  private static final String TOO_LITTLE = "Insufficient ";

  /// What a namespace says of a pod that is too large for what it has left, or for its bounds.
  private static final Pattern TOO_LARGE =
      Pattern.compile(
          "exceeded quota: [^,]+, requested: \\S*(cpu|memory)=|maximum (cpu|memory) usage per ");

  private static final int KILLED = 137;
  private static final ObjectMapper JSON = new ObjectMapper();

  private PodNews() {}

  static NodeNews of(NodeId node, Pod pod) {
    ContainerState state = mainState(pod);
    if (state != null && state.getTerminated() != null) {
      return ended(node, pod, state.getTerminated());
    }
    String phase = phase(pod);
    if (phase.equals("Failed") || phase.equals("Succeeded")) {
      return endedAsAWhole(node, pod);
    }
    return state != null && state.getRunning() != null
        ? new NodeNews.Running(node)
        : pending(node, PodWaiting.of(pod.getStatus()));
  }

  /// What it says of a node that the cluster will not take its pod.
  static NodeNews.Pending refused(NodeId node, String why) {
    return new NodeNews.Pending(
        node, "its pod cannot be made: " + why, TOO_LARGE.matcher(why).find());
  }

  /// What the deletion of a pod says of its node: as it ended, or that it was deleted. Nothing
  /// where nobody saw it go and it had not ended: then a list lacked it, which may be an old one.
  static Optional<NodeNews.Ended> deleted(NodeId node, Pod last, boolean seen) {
    if (of(node, last) instanceof NodeNews.Ended ended) {
      return Optional.of(ended);
    }
    return seen ? Optional.of(vanished(node)) : Optional.empty();
  }

  /// A pod that there was and is no more.
  static NodeNews.Ended vanished(NodeId node) {
    return new NodeNews.Ended(node, KILLED, false, ExitReason.KILLED, "its pod was deleted");
  }

  private static String phase(Pod pod) {
    return pod.getStatus() == null || pod.getStatus().getPhase() == null
        ? ""
        : pod.getStatus().getPhase();
  }

  private static @Nullable ContainerState mainState(Pod pod) {
    if (pod.getStatus() == null) {
      return null;
    }
    Optional<String> main = MainContainer.of(pod);
    return pod.getStatus().getContainerStatuses().stream()
        .filter(status -> main.filter(name -> name.equals(status.getName())).isPresent())
        .map(ContainerStatus::getState)
        .filter(Objects::nonNull)
        .findFirst()
        .orElse(null);
  }

  private static NodeNews.Ended ended(NodeId node, Pod pod, ContainerStateTerminated end) {
    int code = end.getExitCode() == null ? KILLED : end.getExitCode();
    if ("OOMKilled".equals(end.getReason()) && code != 0) { // It may have borne a child's end.
      return new NodeNews.Ended(node, code, true, null, "OOMKilled: " + message(end, code));
    }
    JsonNode said = words(end.getMessage());
    if (said != null) {
      return new NodeNews.Ended(
          node,
          said.path("code").asInt(code),
          false,
          reason(said.path("reason").asText("")),
          said.path("message").asText(""));
    }
    String outside = fromOutside(pod);
    return outside.isEmpty()
        ? new NodeNews.Ended(node, code, false, null, code == 0 ? "" : message(end, code))
        : new NodeNews.Ended(node, code, false, ExitReason.KILLED, outside);
  }

  /// The pod failed before its container did: it never started, or its machine is gone.
  private static NodeNews.Ended endedAsAWhole(NodeId node, Pod pod) {
    String outside = fromOutside(pod);
    if (!outside.isEmpty()) {
      return new NodeNews.Ended(node, KILLED, false, ExitReason.KILLED, outside);
    }
    String message = said(pod.getStatus().getReason(), pod.getStatus().getMessage());
    String before = firstFailedInit(pod);
    return new NodeNews.Ended(
        node,
        1,
        false,
        ExitReason.UNKNOWN,
        before.isEmpty() ? "its pod failed: " + message : before);
  }

  /// What an init container ended with, which the pod could not start without.
  private static String firstFailedInit(Pod pod) {
    return pod.getStatus().getInitContainerStatuses().stream()
        .filter(status -> status.getState() != null && status.getState().getTerminated() != null)
        .filter(
            status -> !Integer.valueOf(0).equals(status.getState().getTerminated().getExitCode()))
        .map(status ->
            "init container '%s' failed: %s"
                .formatted(
                    status.getName(),
                    message(
                        status.getState().getTerminated(),
                        Objects.requireNonNullElse(
                            status.getState().getTerminated().getExitCode(), 1))))
        .findFirst()
        .orElse("");
  }

  private static String message(ContainerStateTerminated end, int code) {
    String text = end.getMessage() == null ? "" : end.getMessage().strip();
    return text.isEmpty() ? "exit code " + code : "exit code %d: %s".formatted(code, text);
  }

  /// Why it went, where that is not its own doing; empty where it is.
  private static String fromOutside(Pod pod) {
    String reason = Objects.requireNonNullElse(pod.getStatus().getReason(), "");
    if (FROM_OUTSIDE.contains(reason) || reason.startsWith(OUT_OF)) {
      return said(reason, pod.getStatus().getMessage());
    }
    for (PodCondition condition : pod.getStatus().getConditions()) {
      if ("DisruptionTarget".equals(condition.getType()) && "True".equals(condition.getStatus())) {
        return said(condition.getReason(), condition.getMessage());
      }
    }
    return pod.getMetadata().getDeletionTimestamp() == null ? "" : "its pod was deleted";
  }

  /// The agent's last words, where it had the time for any.
  private static @Nullable JsonNode words(@Nullable String message) {
    if (message == null || !message.stripLeading().startsWith("{")) {
      return null;
    }
    try {
      JsonNode said = JSON.readTree(message);
      return said.isObject() && said.path("code").isInt() ? said : null;
    } catch (JsonProcessingException e) {
      return null; // A program's own words.
    }
  }

  private static @Nullable ExitReason reason(String word) {
    return Stream.of(ExitReason.values())
        .filter(reason -> reason.name().equals(word))
        .findFirst()
        .orElse(null);
  }

  /// A pod that does not run, and why where not all goes its way. A scheduler that finds no machine
  /// says of each what it has too little of; it may want something else, such as a volume.
  private static NodeNews.Pending pending(NodeId node, @Nullable PodWaiting waiting) {
    if (waiting == null) {
      return new NodeNews.Pending(node, "");
    }
    boolean lacksRoom =
        waiting.reason().equals(UNSCHEDULABLE) && waiting.message().contains(TOO_LITTLE);
    return new NodeNews.Pending(node, said(waiting.reason(), waiting.message()), lacksRoom);
  }

  private static String said(@Nullable String reason, @Nullable String message) {
    String word = Objects.requireNonNullElse(reason, "");
    String text = Objects.requireNonNullElse(message, "").strip();
    return word.isEmpty() ? text : text.isEmpty() ? word : word + ": " + text;
  }
}
