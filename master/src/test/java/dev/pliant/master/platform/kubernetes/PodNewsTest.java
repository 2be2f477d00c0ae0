package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class PodNewsTest {
  private static final NodeId NODE = new NodeId("worker", 0);

  private static Pod pod(String status) {
    return pod("", status);
  }

  private static Pod pod(String metadata, String status) {
    return Serialization.unmarshal(
        """
        ---
        {apiVersion: v1, kind: Pod, metadata: {name: digits-worker-0%s},
         spec: {initContainers: [{name: pliant-agent}], containers: [{name: main}, {name: side}]},
         status: {%s}}
        """
            .formatted(metadata.isEmpty() ? "" : ", " + metadata, status),
        Pod.class);
  }

  private static String main(String state) {
    return "containerStatuses: [{name: side, state: {running: {}}}, {name: main, state: {%s}}]"
        .formatted(state);
  }

  private static String ended(String how) {
    return "phase: Running, " + main("terminated: {" + how + "}");
  }

  static Stream<Arguments> pods() {
    return Stream.of(
        arguments("no word of it yet", pod("phase: Pending"), new NodeNews.Pending(NODE, "")),
        arguments(
            "its container is being made",
            pod("phase: Pending, " + main("waiting: {reason: ContainerCreating}")),
            new NodeNews.Pending(NODE, "")),
        arguments(
            "its image is not there",
            pod(
                "phase: Pending, "
                    + main("waiting: {reason: ImagePullBackOff, message: no such image}")),
            new NodeNews.Pending(NODE, "ImagePullBackOff: no such image")),
        arguments(
            "the agent's image is not there",
            pod(
                "phase: Pending, initContainerStatuses: [{name: pliant-agent, state: {waiting: {reason: ErrImagePull, message: m}}}],"
                    + main("waiting: {reason: PodInitializing}")),
            new NodeNews.Pending(NODE, "ErrImagePull: m")),
        arguments(
            "there is no room",
            pod(
                "phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: '0/1 nodes are available: 1 Insufficient memory.'}]"),
            new NodeNews.Pending(
                NODE, "Unschedulable: 0/1 nodes are available: 1 Insufficient memory.", true)),
        arguments(
            "there is room, and no volume",
            pod(
                "phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: pod has unbound immediate PersistentVolumeClaims}]"),
            new NodeNews.Pending(
                NODE, "Unschedulable: pod has unbound immediate PersistentVolumeClaims")),
        arguments(
            "it runs", pod("phase: Running, " + main("running: {}")), new NodeNews.Running(NODE)),
        arguments(
            "it runs and is being deleted",
            pod(
                "deletionTimestamp: '2026-01-01T00:00:00Z'",
                "phase: Running, " + main("running: {}")),
            new NodeNews.Running(NODE)),
        arguments(
            "it ended after a proxy that was put before it",
            Serialization.unmarshal(
                """
                ---
                {apiVersion: v1, kind: Pod,
                 metadata: {name: digits-worker-0, annotations: {pliant.dev/container: main}},
                 spec: {containers: [{name: proxy}, {name: main}]},
                 status: {phase: Running, containerStatuses: [
                   {name: proxy, state: {running: {}}},
                   {name: main, state: {terminated: {exitCode: 0}}}]}}
                """,
                Pod.class),
            new NodeNews.Ended(NODE, 0, false, null, "")),
        arguments(
            "it ran out of memory",
            pod(ended("exitCode: 137, reason: OOMKilled, message: the last line")),
            new NodeNews.Ended(NODE, 137, true, null, "OOMKilled: exit code 137: the last line")),
        arguments(
            "a child of it ran out of memory, and it did not mind",
            pod(
                ended(
                    "exitCode: 0, reason: OOMKilled, message: '{\"code\":0,\"reason\":\"SUCCEEDED\",\"message\":\"\"}'")),
            new NodeNews.Ended(NODE, 0, false, ExitReason.SUCCEEDED, "")),
        arguments(
            "the agent's last words",
            pod(
                ended(
                    "exitCode: 3, message: '{\"code\":3,\"reason\":\"FATAL_ERROR\",\"message\":\"it failed\"}'")),
            new NodeNews.Ended(NODE, 3, false, ExitReason.FATAL_ERROR, "it failed")),
        arguments(
            "drained, and the agent said so",
            pod(
                "deletionTimestamp: '2026-01-01T00:00:00Z'",
                ended(
                    "exitCode: 0, message: '{\"code\":0,\"reason\":\"KILLED\",\"message\":\"told to go\"}'")),
            new NodeNews.Ended(NODE, 0, false, ExitReason.KILLED, "told to go")),
        arguments(
            "a program's own words are its message",
            pod(ended("exitCode: 1, message: '{no json'")),
            new NodeNews.Ended(NODE, 1, false, null, "exit code 1: {no json")),
        arguments(
            "it ended well beside a sidecar that runs on",
            pod(ended("exitCode: 0, reason: Completed")),
            new NodeNews.Ended(NODE, 0, false, null, "")),
        arguments(
            "deleted while it ran",
            pod("deletionTimestamp: '2026-01-01T00:00:00Z'", ended("exitCode: 143")),
            new NodeNews.Ended(NODE, 143, false, ExitReason.KILLED, "its pod was deleted")),
        arguments(
            "evicted",
            pod("phase: Failed, reason: Evicted, message: The node was low on resource"),
            new NodeNews.Ended(
                NODE, 137, false, ExitReason.KILLED, "Evicted: The node was low on resource")),
        arguments(
            "preempted",
            pod(
                "conditions: [{type: DisruptionTarget, status: 'True', reason: PreemptionByScheduler, message: m}], "
                    + ended("exitCode: 1")),
            new NodeNews.Ended(NODE, 1, false, ExitReason.KILLED, "PreemptionByScheduler: m")),
        arguments(
            "its machine was shut down",
            pod(
                "phase: Failed, reason: Terminated, message: Pod was terminated in response to imminent node shutdown."),
            new NodeNews.Ended(
                NODE,
                137,
                false,
                ExitReason.KILLED,
                "Terminated: Pod was terminated in response to imminent node shutdown.")),
        arguments(
            "the agent could not be brought",
            pod(
                "phase: Failed, initContainerStatuses: [{name: pliant-agent, state: {terminated: {exitCode: 2, message: no space}}}]"),
            new NodeNews.Ended(
                NODE,
                1,
                false,
                ExitReason.UNKNOWN,
                "init container 'pliant-agent' failed: exit code 2: no space")),
        arguments(
            "it stood longer than its template allows",
            pod("phase: Failed, reason: DeadlineExceeded, message: it was active too long"),
            new NodeNews.Ended(
                NODE,
                1,
                false,
                ExitReason.UNKNOWN,
                "its pod failed: DeadlineExceeded: it was active too long")),
        arguments(
            "no machine would take it",
            pod("phase: Failed, reason: SysctlForbidden, message: not allowed"),
            new NodeNews.Ended(
                NODE,
                1,
                false,
                ExitReason.UNKNOWN,
                "its pod failed: SysctlForbidden: not allowed")));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("pods")
  void isWhatThePodSays(String what, Pod pod, NodeNews want) {
    assertThat(PodNews.of(NODE, pod)).isEqualTo(want);
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(
      strings = {
        "Evicted",
        "Preempting",
        "Shutdown",
        "NodeShutdown",
        "Terminated",
        "NodeLost",
        "OutOfcpu",
        "OutOfmemory",
        "OutOfpods",
        "OutOfephemeral-storage",
        "OutOfnvidia.com/gpu",
        "NodeAffinity",
        "NodeName",
        "NodePorts",
        "NodeUnschedulable",
        "TaintToleration",
        "TopologyAffinityError",
        "UnexpectedAdmissionError",
        "VolumeAttachmentLimitExceeded",
      })
  void whatAMachineDoesToAPodUsesUpNoRestart(String reason) {
    assertThat(PodNews.of(NODE, pod("phase: Failed, reason: %s, message: m".formatted(reason))))
        .isEqualTo(
            new NodeNews.Ended(NODE, 137, false, ExitReason.KILLED, "%s: m".formatted(reason)));
  }

  @Test
  void aDeletionCountsWhereSomebodySawItOrThePodHadEnded() {
    Pod running = pod("phase: Running, " + main("running: {}"));
    Pod ended = pod(ended("exitCode: 3, message: m"));
    NodeNews.Ended end = new NodeNews.Ended(NODE, 3, false, null, "exit code 3: m");

    assertThat(PodNews.deleted(NODE, running, true)).contains(PodNews.vanished(NODE));
    assertThat(PodNews.deleted(NODE, running, false)).isEmpty();
    assertThat(PodNews.deleted(NODE, ended, true)).contains(end);
    assertThat(PodNews.deleted(NODE, ended, false)).contains(end);
  }

  @Test
  void aPodThatIsGoneWasKilled() {
    assertThat(PodNews.vanished(NODE).reason()).isEqualTo(ExitReason.KILLED);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          pods "x" is forbidden: exceeded quota: q, requested: cpu=2, used: cpu=3, limited: cpu=4 | true
          pods "x" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi      | true
          pods "x" is forbidden: exceeded quota: q, requested: limits.cpu=2,requests.memory=1Gi, used: … | true
          pods "x" is forbidden: exceeded quota: q, requested: pods=1, used: pods=5, limited: pods=5 | false
          pods "x" is forbidden: violates PodSecurity "restricted:latest"                         | false
          """)
  void aPodThatIsRefusedForItsSizeLacksRoom(String why, boolean wantRoom) {
    assertThat(PodNews.refused(NODE, why))
        .isEqualTo(new NodeNews.Pending(NODE, "its pod cannot be made: " + why, wantRoom));
  }
}
