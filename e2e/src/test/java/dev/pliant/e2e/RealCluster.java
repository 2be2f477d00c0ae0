package dev.pliant.e2e;

import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeBuilder;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaimBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/// The real Kubernetes of this machine, with Pliant installed. It is made ready once and serves all
/// tests, each in namespaces of its own. No other will do: tests give it images, mount this
/// machine's folders, stop its parts and remove what is installed there.
final class RealCluster {
  private static final Duration INSTALL = Duration.ofMinutes(5);
  private static final Duration REMOVAL = Duration.ofMinutes(2);

  /// KWOK is built from source once on a machine.
  private static final Duration BUILD = Duration.ofMinutes(25);

  private static final Path SCRIPTS = Commands.root().resolve("e2e/cluster");

  private static @Nullable RealCluster ready;

  private final Path kubeconfig;
  private final KubernetesClient client;
  private final Set<String> images = new HashSet<>();

  private RealCluster(Path kubeconfig, KubernetesClient client) {
    this.kubeconfig = kubeconfig;
    this.client = client;
  }

  /// The cluster, with images, custom resources and operator.
  static synchronized RealCluster ready() {
    if (ready == null) {
      Needs.clusterOfThisMachine();
      Path kubeconfig = Path.of(Objects.requireNonNull(System.getenv("KUBECONFIG")));
      Commands.run(Commands.root(), Map.of(), INSTALL, SCRIPTS.resolve("install").toString())
          .orThrow("e2e/cluster/install");
      ready = new RealCluster(kubeconfig, connect(kubeconfig));
    }
    return ready;
  }

  /// Has the next one who wants the cluster install what is needed anew.
  static synchronized void forget() {
    ready = null;
  }

  private static KubernetesClient connect(Path kubeconfig) {
    Config config = Config.fromKubeconfig(kubeconfig.toFile());
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  KubernetesClient client() {
    return client;
  }

  Path kubeconfig() {
    return kubeconfig;
  }

  /// Makes an image for training pods out of this machine's own files: `python` or `host`.
  void testImage(String name) {
    if (images.add(name)) {
      Commands.run(
              Commands.root(), Map.of(), INSTALL, SCRIPTS.resolve("test-images").toString(), name)
          .orThrow("e2e/cluster/test-images " + name);
    }
  }

  /// Gives an image another name, too.
  void tagImage(String name, String other) {
    Commands.run(
            Commands.root(),
            Map.of(),
            INSTALL,
            SCRIPTS.resolve("load-image").toString(),
            "--tag",
            name,
            other)
        .orThrow("e2e/cluster/load-image --tag");
  }

  /// What people type.
  Commands.Result kubectl(String... arguments) {
    return kubectl(Map.of(), arguments);
  }

  /// @param environment variables beside those of this process
  Commands.Result kubectl(Map<String, String> environment, String... arguments) {
    List<String> command = new ArrayList<>(List.of(SCRIPTS.resolve("kubectl").toString()));
    command.addAll(List.of(arguments));
    Map<String, String> all = new HashMap<>(environment);
    all.put("PLIANT_KUBECONFIG", kubeconfig.toString());
    return Commands.run(Commands.root(), all, INSTALL, command.toArray(String[]::new));
  }

  /// Removes the operator, custom resources and all jobs; [#forget] has them installed again.
  void uninstall() {
    Commands.Result unused = // Jobs with a claim wait for an operator.
        kubectl("delete", "elasticjobs", "--all", "--all-namespaces", "--timeout=120s");
    kubectl("delete", "-k", "deploy/kustomize/base", "--ignore-not-found", "--timeout=120s")
        .orThrow("kubectl delete -k");
  }

  /// Stops a part of the cluster for as long as `meanwhile` takes, and starts it again.
  void without(String part, Runnable meanwhile) {
    Commands.run(Commands.root(), Map.of(), INSTALL, SCRIPTS.resolve("stop").toString(), part)
        .orThrow("stop " + part);
    try {
      meanwhile.run();
    } finally {
      Commands.run(Commands.root(), Map.of(), INSTALL, SCRIPTS.resolve("up").toString())
          .orThrow("up");
    }
  }

  /// Has so many nodes that only say that they run pods, beside the real one.
  void simulate(int nodes) {
    Commands.run(
            Commands.root(),
            Map.of(),
            BUILD,
            SCRIPTS.resolve("simulate").toString(),
            Integer.toString(nodes))
        .orThrow("e2e/cluster/simulate");
  }

  /// A namespace in which Pod Security lets only `restricted` pods be.
  Namespace restrictedNamespace(String name) {
    return client
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(name)
                .addToLabels("pod-security.kubernetes.io/enforce", "restricted")
                .endMetadata()
                .build())
        .create();
  }

  /// A folder of this machine as a claim of that name.
  void claim(String namespace, String name, Path folder) {
    String volume = namespace + "-" + name;
    Map<String, Quantity> size = Map.of("storage", new Quantity("1Gi"));
    client
        .resource(
            new PersistentVolumeBuilder()
                .withNewMetadata()
                .withName(volume)
                .endMetadata()
                .withNewSpec()
                .withCapacity(size)
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
                .build())
        .create();
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
                .withVolumeName(volume)
                .withNewResources()
                .withRequests(size)
                .endResources()
                .endSpec()
                .build())
        .create();
  }

  /// Removes a namespace and the volumes that were made for it. On return its pods are gone: the
  /// room that they had is free for whoever comes next.
  void remove(String namespace) {
    client.namespaces().withName(namespace).delete();
    client.persistentVolumes().list().getItems().stream()
        .filter(volume ->
            volume.getSpec().getClaimRef() != null
                && namespace.equals(volume.getSpec().getClaimRef().getNamespace()))
        .forEach(volume -> client.resource(volume).delete());
    Awaitility.await("the end of all pods of " + namespace)
        .atMost(REMOVAL)
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .until(() -> client.pods().inNamespace(namespace).list().getItems().isEmpty());
  }
}
