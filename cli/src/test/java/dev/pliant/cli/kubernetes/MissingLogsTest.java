package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class MissingLogsTest {
  @Test
  void saysWhyAPodHasNotBegun() {
    Pod pod =
        Serialization.unmarshal(
            """
            metadata: {name: digits-worker-0, labels: {pliant.dev/node: worker-0}}
            status:
              phase: Pending
              containerStatuses:
                - name: main
                  state: {waiting: {reason: ImagePullBackOff, message: "Back-off pulling image i"}}
            """,
            Pod.class);

    assertThat(MissingLogs.notBegun(pod))
        .isEqualTo(
            "worker-0 has printed nothing yet: its pod digits-worker-0 is Pending, ImagePullBackOff: Back-off pulling image i.");
  }

  @ParameterizedTest
  @CsvSource({
    "worker-0, true",
    "worker-12, true",
    "master, true",
    "ps-1, true",
    "woker-0, false",
    "worker, false",
    "typo, false"
  })
  void knowsWhatANodeMayBeCalled(String name, boolean want) {
    assertThat(MissingLogs.mayCome(name, List.of())).isEqualTo(want);
  }
}
