package dev.pliant.benchmarks;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientTimeoutException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/// A namespace of its own for one scene; what was made in it goes with it.
record ClusterSpace(KubernetesClient client, String namespace) implements AutoCloseable {
  private static final String LABEL = "pliant.dev/benchmark";
  private static final Map<String, Quantity> SIZE = Map.of("storage", new Quantity("1Gi"));

  static ClusterSpace make(KubernetesClient client, String prefix) {
    String namespace = prefix + "-" + Long.toString(System.nanoTime(), 36);
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(namespace).endMetadata().build())
        .create();
    return new ClusterSpace(client, namespace);
  }

  /// A folder of this machine as a claim of that name.
  void claim(String name, Path folder) {
    client.resource(volume(name, folder)).create();
    client
        .resource(
            new PersistentVolumeClaimBuilder()
                .withNewMetadata()
                .withNamespace(namespace)
                .withName(name)
                .endMetadata()
                .withNewSpec()
                .withAccessModes("ReadWriteMany")
                .withStorageClassName("")
                .withVolumeName(namespace + "-" + name)
                .withNewResources()
                .withRequests(SIZE)
                .endResources()
                .endSpec()
                .build())
        .create();
  }

  private PersistentVolume volume(String name, Path folder) {
    return new PersistentVolumeBuilder()
        .withNewMetadata()
        .withName(namespace + "-" + name)
        .addToLabels(LABEL, namespace)
        .endMetadata()
        .withNewSpec()
        .withCapacity(SIZE)
        .withAccessModes("ReadWriteMany")
        .withPersistentVolumeReclaimPolicy("Retain")
        .withStorageClassName("")
        .withNewHostPath()
        .withPath(folder.toString())
        .endHostPath()
        .withNewClaimRef()
        .withNamespace(namespace)
        .withName(name)
        .endClaimRef()
        .endSpec()
        .build();
  }

  /// Returns when all of it is gone, or after a while: what is still being removed slows down what
  /// comes next.
  @Override
  public void close() {
    client.namespaces().withName(namespace).delete();
    client.persistentVolumes().withLabel(LABEL, namespace).delete();
    try {
      client
          .namespaces()
          .withName(namespace)
          .waitUntilCondition(Objects::isNull, 5, TimeUnit.MINUTES);
    } catch (KubernetesClientTimeoutException e) {
      System.err.printf("  %s is not gone after 5 minutes; what comes next is slower%n", namespace);
    }
  }
}
