package dev.pliant.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/// Jobs of a namespace in which Pod Security lets only `restricted` pods be.
final class PodSecurityIT {
  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: %s}
      spec:
        worker:
          template:
            spec:
              hostNetwork: %s
              containers: [{name: main, image: "pliant.local/busybox:1", command: [sleep, "3600"]}]
      """;

  private static final String GREEDY_POD =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: probe, namespace: %s}
      spec: {hostNetwork: true, containers: [{name: main, image: i}]}
      """;

  @Test
  void ordinaryPodsAreTakenAndOneThatAsksForTheMachineIsRefusedWithTheClustersWords() {
    try (ClusterRoom room = ClusterRoom.open("restricted")) {
      restrict(room);
      ElasticJobResource plain = room.create(JOB.formatted("plain", "false"));
      ElasticJobResource greedy = room.create(JOB.formatted("greedy", "true"));

      room.plan(plain, List.of("plain-worker-0"), List.of(), JobStatePhase.Running);
      room.plan(greedy, List.of("greedy-worker-0"), List.of(), JobStatePhase.Running);

      await()
          .untilAsserted(() ->
              assertThat(room.pods("plain")).containsExactly("plain-master-0", "plain-worker-0"));
      await()
          .untilAsserted(() ->
              assertThat(podsReady(room, "greedy"))
                  .anySatisfy(condition -> {
                    assertThat(condition.getReason()).isEqualTo("PodRefused");
                    assertThat(condition.getMessage())
                        .contains("violates PodSecurity")
                        .contains("hostNetwork=true");
                  }));
      await()
          .untilAsserted(() ->
              assertThat(room.pods("greedy"))
                  .as("a master is ours, and as it should be")
                  .containsExactly("greedy-master-0"));
    }
  }

  /// On return the API server goes by it.
  private static void restrict(ClusterRoom room) {
    room.client
        .namespaces()
        .withName(room.namespace)
        .edit(namespace -> {
          namespace
              .getMetadata()
              .getLabels()
              .put("pod-security.kubernetes.io/enforce", "restricted");
          return namespace;
        });
    Pod greedy = Serialization.unmarshal(GREEDY_POD.formatted(room.namespace), Pod.class);
    await()
        .untilAsserted(() ->
            assertThatExceptionOfType(KubernetesClientException.class)
                .isThrownBy(() -> room.client.resource(greedy).dryRun().create())
                .withMessageContaining("violates PodSecurity"));
  }

  private static List<Condition> podsReady(ClusterRoom room, String job) {
    return Stream.ofNullable(room.job(job).getStatus())
        .map(JobStatus::conditions)
        .filter(Objects::nonNull)
        .flatMap(List::stream)
        .filter(condition -> condition.getType().equals("PodsReady"))
        .toList();
  }
}
