package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;

class ForeignPodTest {
  private static Pod pod(String metadata) {
    return Serialization.unmarshal(
        """
        ---
        {apiVersion: v1, kind: Pod, metadata: {name: digits-worker-0, namespace: team-a%s}}
        """
            .formatted(metadata.isEmpty() ? "" : ", " + metadata),
        Pod.class);
  }

  private static String trouble(String metadata) {
    return ForeignPod.of(pod(metadata), "digits", "mine").orElseThrow().trouble();
  }

  @Test
  void aPodOfThisJobIsInNobodysWay() {
    String owner = "ownerReferences: [{kind: ElasticJob, name: digits, uid: mine}]";

    assertThat(ForeignPod.of(pod(owner), "digits", "mine")).isEmpty();
  }

  @Test
  void whoseAPodIsAndHowToBeRidOfItIsSaid() {
    assertThat(
            trouble("ownerReferences: [{kind: ReplicaSet, name: web, uid: a, controller: true}]"))
        .contains("Pod 'digits-worker-0' (it belongs to ReplicaSet 'web')")
        .contains("kubectl -n team-a delete pod digits-worker-0");
    assertThat(trouble("ownerReferences: [{kind: ElasticJob, name: other, uid: b}]"))
        .contains("it belongs to ElasticJob 'other'")
        .contains("delete pod");
    assertThat(trouble("")).contains("it belongs to nobody").contains("delete pod");
  }

  @Test
  void oneThatGoesByItselfIsWaitedFor() {
    assertThat(trouble("ownerReferences: [{kind: ElasticJob, name: digits, uid: before}]"))
        .contains("a job of the same name that was deleted")
        .contains("It goes by itself");
    assertThat(trouble("deletionTimestamp: '2026-01-01T00:00:00Z'")).contains("It goes by itself");
  }
}
