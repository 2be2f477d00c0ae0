package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pliant.operator.decision.PodView;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.ListOptions;
import io.fabric8.kubernetes.api.model.ListOptionsBuilder;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a real API server says of pods, read whole and read as the operator does.
final class SlimReadingIT {
  private static final Duration SOON = Duration.ofSeconds(90);
  private static final ListOptions ALL = new ListOptions();

  /// One of each kind: it runs, it has ended, it cannot be scheduled, it has no image.
  private static final String PODS =
      """
      apiVersion: v1
      kind: List
      items:
      - {apiVersion: v1, kind: Pod, metadata: {name: runs, labels: {pliant.dev/job: j, pliant.dev/role: worker}},
         spec: {containers: [{name: main, image: "pliant.local/pause:1", command: [/pause]}]}}
      - {apiVersion: v1, kind: Pod, metadata: {name: ended, annotations: {pliant.dev/revision: "1"}},
         spec: {restartPolicy: Never, containers: [{name: main, image: "pliant.local/pause:1", command: [/none]}]}}
      - {apiVersion: v1, kind: Pod, metadata: {name: nowhere},
         spec: {nodeSelector: {no: where}, containers: [{name: main, image: "pliant.local/pause:1"}]}}
      - {apiVersion: v1, kind: Pod, metadata: {name: imageless},
         spec: {initContainers: [{name: first, image: "pliant.local/none:1", imagePullPolicy: Never}],
                containers: [{name: main, image: "pliant.local/pause:1"}]}}
      """;

  private final String namespace = "slim-reading-it-" + Long.toString(System.nanoTime(), 36);
  private KubernetesClient whole;
  private KubernetesClient slim;

  @BeforeEach
  void open() {
    Needs.cluster();
    whole = new KubernetesClientBuilder().build();
    slim = SlimReading.connect(whole.getConfiguration());
    whole
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    await("an account in the namespace")
        .atMost(SOON)
        .until(
            () -> whole.serviceAccounts().inNamespace(namespace).withName("default").get() != null);
  }

  @AfterEach
  void close() {
    if (whole != null) {
      whole.namespaces().withName(namespace).delete();
      slim.close();
      whole.close();
    }
  }

  @Test
  void whatIsReadOfAListIsWhatItSays() {
    whole.resourceList(PODS).inNamespace(namespace).create();
    await("pods of every kind").atMost(SOON).until(() -> settled(list(whole, ALL)));

    // Both say the same only while nothing changes between them.
    await("two lists of the same moment")
        .atMost(SOON)
        .untilAsserted(() -> {
          PodList expected = list(whole, ALL);
          PodList read = list(slim, ALL);
          assertThat(read.getMetadata().getResourceVersion()).isNotNull();
          assertThat(views(read)).isEqualTo(views(expected)).hasSize(4);
          assertThat(metadata(read)).isEqualTo(metadata(expected));
        });
    assertThat(list(slim, ALL).getItems()).allSatisfy(pod -> assertThat(pod.getSpec()).isNull());
  }

  @Test
  void aListComesInPages() {
    whole.resourceList(PODS).inNamespace(namespace).create();

    PodList first = list(slim, new ListOptionsBuilder().withLimit(3L).build());
    PodList second =
        list(
            slim,
            new ListOptionsBuilder()
                .withLimit(3L)
                .withContinue(first.getMetadata().getContinue())
                .build());

    assertThat(first.getItems()).hasSize(3);
    assertThat(first.getMetadata().getRemainingItemCount()).isEqualTo(1);
    assertThat(second.getItems()).hasSize(1);
    assertThat(second.getMetadata().getContinue()).isNull();
  }

  @Test
  void whatIsReadOfAWatchIsWhatItSays() {
    try (SharedIndexInformer<Pod> watched = slim.pods().inNamespace(namespace).inform()) {
      whole.resourceList(PODS).inNamespace(namespace).create();
      await("pods of every kind").atMost(SOON).until(() -> settled(list(whole, ALL)));

      await("what was watched is what is listed")
          .atMost(SOON)
          .untilAsserted(() -> {
            PodList expected = list(whole, ALL);
            PodList read =
                new PodListBuilder().withItems(byName(watched.getStore().list())).build();
            assertThat(views(read)).isEqualTo(views(expected)).hasSize(4);
            assertThat(metadata(read)).isEqualTo(metadata(expected));
          });
    }
  }

  private static List<Pod> byName(List<Pod> pods) {
    return pods.stream().sorted(Comparator.comparing(pod -> pod.getMetadata().getName())).toList();
  }

  @Test
  void aPodThatIsMadeComesBackWithItsMetadataAlone() {
    Pod pod =
        new PodBuilder()
            .withNewMetadata()
            .withName("one")
            .addToLabels("pliant.dev/job", "j")
            .endMetadata()
            .withNewSpec()
            .addToNodeSelector("no", "where")
            .addNewContainer()
            .withName("main")
            .withImage("pliant.local/pause:1")
            .endContainer()
            .endSpec()
            .build();

    Pod made = slim.pods().inNamespace(namespace).resource(pod).create();

    Pod there = whole.pods().inNamespace(namespace).withName("one").get();
    assertThat(made.getSpec()).isNull();
    assertThat(made.getStatus()).isNull();
    assertThat(made.getMetadata().getUid()).isEqualTo(there.getMetadata().getUid());
    assertThat(made.getMetadata().getLabels()).isEqualTo(there.getMetadata().getLabels());
    assertThat(PodViews.of(Slim.pod(made), "").stage()).isEqualTo(PodView.Stage.PENDING);
    assertThatThrownBy(() -> slim.pods().inNamespace(namespace).resource(pod).create())
        .isInstanceOfSatisfying(
            KubernetesClientException.class, e -> assertThat(JobActions.alreadyExists(e)).isTrue());
  }

  @Test
  void aListThatIsRefusedSaysWhy() {
    Config nobody =
        new ConfigBuilder(whole.getConfiguration()).withImpersonateUsername("nobody").build();

    try (KubernetesClient client = SlimReading.connect(nobody)) {
      assertThatThrownBy(() -> list(client, ALL))
          .isInstanceOf(KubernetesClientException.class)
          .hasMessageContaining("User \"nobody\" cannot list resource \"pods\"");
    }
  }

  private PodList list(KubernetesClient client, ListOptions options) {
    return client.pods().inNamespace(namespace).list(options);
  }

  private static boolean settled(PodList pods) {
    return pods.getItems().stream()
        .map(pod -> PodViews.of(pod, ""))
        .allMatch(view ->
            switch (view.name()) {
              case "runs" -> view.ready();
              case "ended" -> view.ended();
              default -> view.waiting() != null;
            });
  }

  private static List<PodView> views(PodList pods) {
    return pods.getItems().stream().map(pod -> PodViews.of(pod, "")).toList();
  }

  private static List<ObjectMeta> metadata(PodList pods) {
    return pods.getItems().stream().map(Slim::pod).map(Pod::getMetadata).toList();
  }
}
