package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class StartedPodsTest {
  @ParameterizedTest
  @CsvSource({"running, true, false", "terminated, true, true", "waiting, false, false"})
  void aPodIsAsFarAsItsMainContainerWhateverStandsBeforeIt(
      String state, boolean wantStarted, boolean wantEnded) {
    Pod pod =
        Serialization.unmarshal(
            """
            metadata: {name: digits-worker-0, annotations: {pliant.dev/container: main}}
            spec: {containers: [{name: proxy}, {name: main}]}
            status:
              containerStatuses:
                - {name: proxy, state: {running: {}}}
                - {name: main, state: {%s: {}}}
            """
                .formatted(state),
            Pod.class);

    assertThat(PodLogs.started(pod)).isEqualTo(wantStarted);
    assertThat(PodLogs.ended(pod)).isEqualTo(wantEnded);
  }
}
