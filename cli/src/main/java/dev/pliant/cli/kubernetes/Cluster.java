package dev.pliant.cli.kubernetes;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.NamedContext;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/// A connection to a cluster's API server, as a kubeconfig describes it. What the server refuses
/// becomes a sentence in one place.
public final class Cluster implements AutoCloseable {
  private static final int CONNECT_MILLIS = 5_000;
  private static final int REQUEST_MILLIS = 20_000;

  /// A command is somebody waiting: a server that does not answer is said to at once.
  private static final int RETRIES = 1;

  private final KubernetesClient client;
  private final String namespace;
  private final String name;
  private final Calling calling;

  private Cluster(KubernetesClient client, String namespace, String name, Calling calling) {
    this.client = client;
    this.namespace = namespace;
    this.name = name;
    this.calling = calling;
  }

  /// @throws PliantException where the kubeconfig names no such cluster
  public static Cluster open(ClusterChoice choice) {
    quieten();
    Config config = config(choice);
    NamedContext context = config.getCurrentContext();
    Config patient =
        new ConfigBuilder(config)
            .withConnectionTimeout(CONNECT_MILLIS)
            .withRequestTimeout(REQUEST_MILLIS)
            .withRequestRetryBackoffLimit(RETRIES)
            .build();
    String usual =
        Optional.ofNullable(config.getNamespace()).filter(n -> !n.isEmpty()).orElse("default");
    String namespace = Optional.ofNullable(choice.namespace()).orElse(usual);
    String name =
        context == null
            ? config.getMasterUrl()
            : "%s (context %s)".formatted(config.getMasterUrl(), context.getName());
    return new Cluster(
        client(patient, choice), namespace, name, Calling.of(choice, usual, System.getenv()));
  }

  /// Reads the certificates and keys that the kubeconfig names, each of which may be broken.
  private static KubernetesClient client(Config config, ClusterChoice choice) {
    try {
      return new KubernetesClientBuilder().withConfig(config).build();
    } catch (RuntimeException e) { // The client lets through whatever its reader of keys throws.
      throw new PliantException(
          ErrorCode.NO_CLUSTER, ClusterFaults.brokenCredentials(e, kubeconfig(choice)), e);
    }
  }

  /// As the user knows it.
  private static String kubeconfig(ClusterChoice choice) {
    String variable = System.getenv("KUBECONFIG");
    return choice.kubeconfig() != null
        ? "the kubeconfig " + choice.kubeconfig()
        : variable != null && !variable.isEmpty()
            ? "the kubeconfig %s, which KUBECONFIG names,".formatted(variable)
            : "the kubeconfig ~/.kube/config";
  }

  /// What goes wrong is said by the command, once; the client's own warnings would stand between
  /// its lines.
  private static void quieten() {
    if (LoggerFactory.getLogger("io.fabric8") instanceof Logger logger) {
      logger.setLevel(Level.OFF);
    }
  }

  private static Config config(ClusterChoice choice) {
    Path file = choice.kubeconfig();
    try {
      if (file != null && !Files.isReadable(file)) {
        throw new PliantException(
            ErrorCode.NO_CLUSTER,
            "there is no file %s to read, named by --kubeconfig.".formatted(file));
      }
      Config config =
          file == null
              ? Config.autoConfigure(choice.context())
              : Config.fromKubeconfig(choice.context(), file.toFile());
      check(config, choice.context());
      return config;
    } catch (KubernetesClientException e) {
      throw new PliantException(
          ErrorCode.NO_CLUSTER,
          "%s cannot be used: %s".formatted(kubeconfig(choice), ClusterFaults.sentence(e)),
          e);
    } catch (PliantException e) {
      throw e;
    } catch (RuntimeException e) { // Whatever the client's readers throw at what is no kubeconfig.
      throw new PliantException(
          ErrorCode.NO_CLUSTER, ClusterFaults.noKubeconfig(e, kubeconfig(choice)), e);
    }
  }

  private static void check(Config config, @Nullable String wanted) {
    NamedContext current = config.getCurrentContext();
    List<NamedContext> known = config.getContexts() == null ? List.of() : config.getContexts();
    if (wanted != null && (current == null || !wanted.equals(current.getName()))) {
      throw new PliantException(
          ErrorCode.NO_CLUSTER,
          "there is no context '%s' in the kubeconfig; it has %s."
              .formatted(
                  wanted,
                  known.isEmpty()
                      ? "none"
                      : known.stream()
                          .map(NamedContext::getName)
                          .collect(Collectors.joining(", "))));
    }
    boolean inPod = System.getenv("KUBERNETES_SERVICE_HOST") != null;
    if (current == null && !inPod) {
      throw new PliantException(
          ErrorCode.NO_CLUSTER,
          "no cluster is named: %s; say which by --kubeconfig or KUBECONFIG, and --context."
              .formatted(
                  known.isEmpty()
                      ? "there is no kubeconfig, or it is empty"
                      : "the kubeconfig has no current context"));
    }
  }

  KubernetesClient client() {
    return client;
  }

  /// How to call further commands that act on this cluster.
  Calling calling() {
    return calling;
  }

  /// The namespace of names that come without one.
  String namespace() {
    return namespace;
  }

  /// For people: where it is, and by which context.
  String name() {
    return name;
  }

  /// Does `call`; what goes wrong is said in a sentence.
  ///
  /// @param what was tried, as in "cannot list the jobs"
  <T> T ask(String what, Supplier<T> call) {
    try {
      return call.get();
    } catch (KubernetesClientException e) {
      throw ClusterFaults.of(e, what, name);
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
