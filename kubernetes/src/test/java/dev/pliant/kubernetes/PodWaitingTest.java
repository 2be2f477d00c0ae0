package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class PodWaitingTest {
  static Stream<Arguments> statuses() {
    String unschedulable =
        "conditions: [{type: PodScheduled, status: 'False', reason: Unschedulable, message: full}]";
    return Stream.of(
        arguments("{phase: Pending}", null),
        arguments("{%s}".formatted(unschedulable), new PodWaiting("Unschedulable", "full")),
        arguments("{conditions: [{type: PodScheduled, status: 'False'}]}", null),
        arguments(
            "{conditions: [{type: PodScheduled, status: 'True', reason: x}], %s}"
                .formatted(waits("ImagePullBackOff")),
            new PodWaiting("ImagePullBackOff", "m")),
        arguments("{%s}".formatted(waits("ContainerCreating")), null),
        arguments("{%s}".formatted(waits("PodInitializing")), null),
        arguments("{containerStatuses: [{name: main, state: {running: {}}}]}", null),
        arguments(
            "{%s, initContainerStatuses: [{name: i, state: {waiting: {reason: ErrImagePull}}}]}"
                .formatted(waits("CreateContainerError")),
            new PodWaiting("ErrImagePull", "")));
  }

  private static String waits(String reason) {
    return "containerStatuses: [{name: main, state: {waiting: {reason: %s, message: m}}}]"
        .formatted(reason);
  }

  @ParameterizedTest
  @MethodSource("statuses")
  void saysWhyAPodDoesNotStartByItself(String status, @Nullable PodWaiting want) {
    assertThat(PodWaiting.of(status(status))).isEqualTo(want);
    assertThat(PodWaiting.of(null)).isNull();
  }

  private static PodStatus status(String yaml) {
    return Serialization.unmarshal("status: " + yaml, Pod.class).getStatus();
  }
}
