package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.cli.jobs.Place.PodView;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class PodViewsTest {
  static Pod pod(String node, String status) {
    return Serialization.unmarshal(
        """
        metadata:
          name: digits-%1$s
          uid: uid-%1$s
          creationTimestamp: "2026-01-01T00:00:00Z"
          labels: {pliant.dev/job: digits, pliant.dev/node: %1$s, pliant.dev/role: worker}
        spec: {nodeName: machine-1, containers: [{name: main}]}
        status: %2$s
        """
            .formatted(node, status),
        Pod.class);
  }

  static Stream<Arguments> lives() {
    return Stream.of(
        arguments("{}", "Pending", "", ""),
        arguments("{phase: Running}", "Running", "", ""),
        arguments(
            "{phase: Failed, reason: Evicted, message: 'no room'}", "Failed", "Evicted", "no room"),
        arguments(
            "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: 'no machine'}]}",
            "Pending",
            "Unschedulable",
            "no machine"),
        arguments(
            "{phase: Pending, containerStatuses: [{name: main, restartCount: 0, state: {waiting: {reason: ErrImagePull, message: 'not found'}}}]}",
            "Pending",
            "ErrImagePull",
            "not found"),
        arguments(
            "{phase: Failed, containerStatuses: [{name: main, restartCount: 2, state: {terminated: {exitCode: 137, reason: OOMKilled}}}]}",
            "Failed",
            "OOMKilled",
            "exit code 137"),
        arguments(
            "{phase: Succeeded, containerStatuses: [{name: main, state: {terminated: {exitCode: 0, reason: Completed}}}]}",
            "Succeeded",
            "",
            ""));
  }

  @ParameterizedTest
  @MethodSource("lives")
  void saysWhyAPodWaitsOrHasEnded(String status, String phase, String reason, String message) {
    PodView view = PodViews.of(pod("worker-0", status));

    assertThat(view.phase()).isEqualTo(phase);
    assertThat(view.reason()).isEqualTo(reason);
    assertThat(view.message()).isEqualTo(message);
    assertThat(view.node()).isEqualTo("worker-0");
    assertThat(view.machine()).isEqualTo("machine-1");
  }

  @Test
  void aPodThatGoesIsTerminatingUntilItHasEnded() {
    Pod pod = pod("worker-0", "{phase: Running}");
    pod.getMetadata().setDeletionTimestamp("2026-01-01T00:00:10Z");
    assertThat(PodViews.of(pod).phase()).isEqualTo("Terminating");
    pod.getStatus().setPhase("Succeeded");
    assertThat(PodViews.of(pod).phase()).isEqualTo("Succeeded");
  }

  @Test
  void countsRestartsOfAllContainers() {
    Pod pod =
        pod(
            "worker-0",
            "{phase: Running, initContainerStatuses: [{name: a, restartCount: 1}], containerStatuses: [{name: main, restartCount: 2}]}");
    assertThat(PodViews.of(pod).restarts()).isEqualTo(3);
  }

  @Test
  void theMasterComesFirstAndTheSecondBeforeTheTenth() {
    Pod master = pod("master-0", "{phase: Running}");
    master.getMetadata().getLabels().remove("pliant.dev/node");
    master.getMetadata().getLabels().put("pliant.dev/role", "master");
    List<Pod> pods =
        List.of(pod("worker-10", "{}"), pod("worker-2", "{}"), master, pod("evaluator-0", "{}"));

    assertThat(PodViews.of(pods))
        .extracting(PodView::node)
        .containsExactly("master", "evaluator-0", "worker-2", "worker-10");
  }

  @Test
  void aLogIsThereOnceTheFirstContainerHasBegun() {
    String waiting = "{containerStatuses: [{name: main, state: {waiting: {reason: x}}}]}";
    String running =
        "{containerStatuses: [{name: side, state: {waiting: {}}}, {name: main, state: {running: {}}}]}";
    String ended = "{containerStatuses: [{name: main, state: {terminated: {exitCode: 1}}}]}";

    assertThat(PodLogs.started(pod("worker-0", "{}"))).isFalse();
    assertThat(PodLogs.started(pod("worker-0", waiting))).isFalse();
    assertThat(PodLogs.started(pod("worker-0", running))).isTrue();
    assertThat(PodLogs.ended(pod("worker-0", running))).isFalse();
    assertThat(PodLogs.started(pod("worker-0", ended))).isTrue();
    assertThat(PodLogs.ended(pod("worker-0", ended))).isTrue();
  }
}
