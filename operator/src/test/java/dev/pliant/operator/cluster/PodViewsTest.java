package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.kubernetes.PodWaiting;
import dev.pliant.operator.decision.PodView;
import dev.pliant.operator.decision.PodView.Stage;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.time.Instant;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class PodViewsTest {
  private static Pod pod(String status) {
    return Serialization.unmarshal(
        """
        apiVersion: v1
        kind: Pod
        metadata:
          name: digits-worker-7
          namespace: team
          uid: p7
          creationTimestamp: "2026-03-01T12:00:00Z"
          labels: {pliant.dev/job: digits, pliant.dev/role: worker, other: label}
          ownerReferences: [{apiVersion: x/v1, kind: ElasticJob, name: digits, uid: j1}]
        spec: {containers: [{name: main, image: i}]}
        status: %s
        """
            .formatted(status),
        Pod.class);
  }

  static Stream<Arguments> pods() {
    return Stream.of(
        arguments("{phase: Pending}", Stage.PENDING, false, null, null),
        arguments(
            "{phase: Running, conditions: [{type: Ready, status: 'True'}]}",
            Stage.RUNNING,
            true,
            null,
            null),
        arguments(
            "{phase: Pending, conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: no room}]}",
            Stage.PENDING,
            false,
            null,
            new PodWaiting("Unschedulable", "no room")),
        arguments(
            "{phase: Pending, initContainerStatuses: [{name: pliant-agent, state: {waiting: {reason: ErrImagePull, message: gone}}}]}",
            Stage.PENDING,
            false,
            null,
            new PodWaiting("ErrImagePull", "gone")),
        arguments(
            "{phase: Pending, containerStatuses: [{name: main, state: {waiting: {reason: PodInitializing}}}]}",
            Stage.PENDING,
            false,
            null,
            null),
        arguments(
            "{phase: Failed, containerStatuses: [{name: main, state: {terminated: {exitCode: 1, finishedAt: '2026-03-01T12:05:00Z'}}}]}",
            Stage.FAILED,
            false,
            Instant.parse("2026-03-01T12:05:00Z"),
            null),
        arguments(
            "{phase: Running, containerStatuses: [{name: main, state: {terminated: {exitCode: 0, finishedAt: '2026-03-01T12:05:00Z'}}}]}",
            Stage.SUCCEEDED,
            false,
            Instant.parse("2026-03-01T12:05:00Z"),
            null),
        arguments(
            "{phase: Running, containerStatuses: [{name: main, state: {terminated: {exitCode: 0}}}, {name: side, state: {terminated: {exitCode: 3, finishedAt: '2026-03-01T12:06:00Z'}}}]}",
            Stage.FAILED,
            false,
            Instant.parse("2026-03-01T12:06:00Z"),
            null),
        arguments(
            "{phase: Running, containerStatuses: [{name: main, state: {terminated: {exitCode: 0}}}, {name: side, state: {running: {}}}]}",
            Stage.RUNNING,
            false,
            null,
            null));
  }

  @ParameterizedTest
  @MethodSource("pods")
  void seesWhatMattersWhetherThePodIsWholeOrSlim(
      String status,
      Stage wantStage,
      boolean wantReady,
      @Nullable Instant wantEnd,
      @Nullable PodWaiting wantWaiting) {
    PodView want =
        new PodView(
            "digits-worker-7",
            "p7",
            "worker",
            true,
            wantStage,
            wantReady,
            null,
            Instant.parse("2026-03-01T12:00:00Z"),
            wantEnd,
            wantWaiting);

    assertThat(PodViews.of(pod(status), "j1")).isEqualTo(want);
    assertThat(PodViews.of(Slim.pod(pod(status)), "j1")).isEqualTo(want);
  }

  @Test
  void aMastersContainerThatEndedIsStartedAgain() {
    Pod pod =
        pod(
            "{phase: Running, containerStatuses: [{name: main, state: {terminated: {exitCode: 1}}}]}");
    pod.getMetadata().getLabels().put("pliant.dev/role", "master");

    assertThat(PodViews.of(Slim.pod(pod), "j1").stage()).isEqualTo(Stage.RUNNING);
    assertThat(PodViews.lives(pod)).isTrue();
  }

  @Test
  void aPodOfAnotherJobOfThatNameIsNotOurs() {
    assertThat(PodViews.of(pod("{phase: Running}"), "j2").ours()).isFalse();
  }

  @Test
  void aPodThatIsBeingDeletedSaysHowLongItHas() {
    Pod pod = pod("{phase: Running}");
    pod.getMetadata().setDeletionTimestamp("2026-03-01T12:10:00Z");
    pod.getMetadata().setDeletionGracePeriodSeconds(35L);

    assertThat(PodViews.of(pod, "j1").grace()).isEqualTo(35);
    assertThat(PodViews.of(Slim.pod(pod), "j1").grace()).isEqualTo(35);
  }

  @Test
  void aSlimPodKeepsNoTemplate() {
    Pod slim = Slim.pod(pod("{phase: Running}"));

    assertThat(slim.getSpec()).isNull();
    assertThat(slim.getMetadata().getLabels())
        .containsOnlyKeys("pliant.dev/job", "pliant.dev/role");
  }
}
