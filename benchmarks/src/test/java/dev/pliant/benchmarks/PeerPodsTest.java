package dev.pliant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.api.Test;

class PeerPodsTest {
  @Test
  void areAsTheOperatorsAndNotSeenByIt() {
    Pod made =
        Serialization.unmarshal(
            """
            metadata:
              name: j1-worker-0
              labels: {pliant.dev/name: j1, elasticjob.dlrover/name: j1, elasticjob-name: j1}
              annotations: {pliant.dev/node: worker-0}
            spec:
              nodeName: kwok-7
              initContainers: [{name: agent}]
              containers: [{name: main, env: [{name: A, value: "1"}]}]
            """,
            Pod.class);

    PodTemplateSpec same = PeerPods.like(made);

    assertThat(same.getMetadata().getLabels())
        .containsOnlyKeys(
            "peer.dev/pliant.dev.name",
            "peer.dev/elasticjob.dlrover.name",
            "peer.dev/elasticjob-name",
            "wave");
    assertThat(same.getMetadata().getAnnotations())
        .isEqualTo(Map.of("peer.dev/pliant.dev.node", "worker-0"));
    assertThat(same.getSpec().getNodeName()).isNull();
    assertThat(same.getSpec().getInitContainers()).isEqualTo(made.getSpec().getInitContainers());
    assertThat(same.getSpec().getContainers()).isEqualTo(made.getSpec().getContainers());
    assertThat(made.getSpec().getNodeName()).isEqualTo("kwok-7");
  }
}
