package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.type.TypeReference;
import dev.pliant.crds.api.ElasticJobResource;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.PodList;
import io.fabric8.kubernetes.api.model.PodListBuilder;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;

class SlimReadingTest {
  private static final Pod POD =
      new PodBuilder()
          .withNewMetadata()
          .withName("digits-worker-0")
          .withUid("u1")
          .addToLabels("pliant.dev/job", "digits")
          .addNewManagedField()
          .withManager("kubelet")
          .endManagedField()
          .addNewOwnerReference()
          .withUid("u0")
          .endOwnerReference()
          .endMetadata()
          .withNewSpec()
          .withNodeName("n1")
          .addNewInitContainer()
          .withName("pliant-agent")
          .endInitContainer()
          .addNewContainer()
          .withName("main")
          .endContainer()
          .addNewVolume()
          .withName("pliant")
          .endVolume()
          .endSpec()
          .withNewStatus()
          .withPhase("Running")
          .addNewContainerStatus()
          .withName("main")
          .endContainerStatus()
          .endStatus()
          .build();

  private final SlimReading reading = new SlimReading();

  @Test
  void anAnswerKeepsWhatIsGoneBy() {
    isSlim(reading.unmarshal(json(POD), Pod.class));
  }

  @Test
  void soDoesAList() {
    PodList list =
        new PodListBuilder()
            .withNewMetadata()
            .withContinue("more")
            .endMetadata()
            .addToItems(POD, POD)
            .build();

    PodList read = reading.unmarshal(json(list), PodList.class);

    assertThat(read.getMetadata().getContinue()).isEqualTo("more");
    assertThat(read.getItems()).hasSize(2).allSatisfy(SlimReadingTest::isSlim);
  }

  @Test
  void soDoesAListThatComesPacked() throws IOException {
    PodList list = new PodListBuilder().addToItems(POD, POD).build();
    var packed = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(packed)) {
      out.write(json(list).getBytes(StandardCharsets.UTF_8));
    }

    PodList read =
        reading.unmarshal(
            new ByteArrayInputStream(packed.toByteArray()), new TypeReference<PodList>() {});

    assertThat(read.getItems()).hasSize(2).allSatisfy(SlimReadingTest::isSlim);
  }

  @Test
  void soDoesTheNewsOfAWatch() {
    WatchEvent event = reading.unmarshal(news("MODIFIED", json(POD)), WatchEvent.class);

    assertThat(event.getType()).isEqualTo("MODIFIED");
    isSlim((Pod) event.getObject());
  }

  @Test
  void newsAreTheSameWhateverStandsFirst() {
    String object = json(POD);
    String kindFirst = "{\"kind\":\"Pod\"," + object.replace("\"kind\":\"Pod\",", "").substring(1);
    assertThat(kindFirst).isNotEqualTo(object).hasSameSizeAs(object);

    WatchEvent tree = reading.unmarshal(news("ADDED", object), WatchEvent.class);
    WatchEvent direct = reading.unmarshal(news("ADDED", kindFirst), WatchEvent.class);

    assertThat(direct).isEqualTo(tree);
    isSlim((Pod) direct.getObject());
  }

  private static String news(String type, String object) {
    return "{\"type\":\"%s\",\"object\":%s}".formatted(type, object);
  }

  @Test
  void aPodThatIsCutShortIsRefused() {
    String news = news("ADDED", "{\"kind\":\"Pod\",\"metadata\":{\"name\":");

    assertThatThrownBy(() -> reading.unmarshal(news, WatchEvent.class))
        .isInstanceOf(KubernetesClientException.class);
  }

  @Test
  void aJobKeepsItsTemplates() {
    String job =
        """
        {"apiVersion": "elastic.iml.github.io/v1alpha1", "kind": "ElasticJob",
         "metadata": {"name": "digits"},
         "spec": {"replicaSpecs": {"worker": {"template": {"spec":
           {"containers": [{"name": "main", "image": "digits"}], "volumes": [{"name": "data"}]}}}}}}
        """;

    ElasticJobResource read = reading.unmarshal(job, ElasticJobResource.class);

    assertThat(Serialization.asJson(read)).contains("\"image\":\"digits\"", "\"name\":\"data\"");
  }

  @Test
  void whatIsEmptyIsNotAbsent() {
    Pod pod = reading.unmarshal("{\"kind\":\"Pod\",\"metadata\":{},\"spec\":{}}", Pod.class);

    assertThat(pod.getMetadata()).isNotNull();
    assertThat(pod.getSpec()).isNotNull();
  }

  @Test
  void aWatchThatEndsSaysWhy() {
    String news =
        "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"code\":410}}";

    WatchEvent event = reading.unmarshal(news, WatchEvent.class);

    assertThat(((Status) event.getObject()).getCode()).isEqualTo(410);
  }

  @Test
  void whatIsNoAnswerIsRefused() {
    assertThatThrownBy(() -> reading.unmarshal("{\"kind\": ", Pod.class))
        .isInstanceOf(KubernetesClientException.class);
  }

  private static void isSlim(Pod pod) {
    ObjectMeta metadata = pod.getMetadata();
    assertThat(metadata.getName()).isEqualTo("digits-worker-0");
    assertThat(metadata.getUid()).isEqualTo("u1");
    assertThat(metadata.getLabels()).containsEntry("pliant.dev/job", "digits");
    assertThat(metadata.getOwnerReferences()).hasSize(1);
    assertThat(metadata.getManagedFields()).isEmpty();
    assertThat(pod.getSpec().getNodeName()).isEqualTo("n1");
    assertThat(pod.getSpec().getContainers()).isEmpty();
    assertThat(pod.getSpec().getInitContainers()).isEmpty();
    assertThat(pod.getSpec().getVolumes()).isEmpty();
    assertThat(pod.getStatus().getPhase()).isEqualTo("Running");
    assertThat(pod.getStatus().getContainerStatuses()).hasSize(1);
  }

  private static String json(Object object) {
    return Serialization.asJson(object);
  }
}
