package dev.pliant.benchmarks;

import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// The cluster of `e2e/cluster`, on this machine, with this build's images and operator.
final class Cluster implements AutoCloseable {
  /// Its binary is built the first time.
  private static final Duration SCRIPT = Duration.ofMinutes(50);

  private final Path scripts;
  private final Path log;
  private final KubernetesClient client;

  private Cluster(Path scripts, Path log, KubernetesClient client) {
    this.scripts = scripts;
    this.log = log;
    this.client = client;
  }

  /// Starts what does not run of it, and installs Pliant.
  static Cluster ready(Bench bench) throws IOException, InterruptedException {
    Path scripts = bench.root().resolve("e2e/cluster");
    Path log = bench.work().resolve("cluster.log");
    run(scripts, log, "up");
    run(scripts, log, "install");
    return new Cluster(scripts, log, connect());
  }

  private static KubernetesClient connect() {
    String cache =
        System.getenv().getOrDefault("XDG_CACHE_HOME", System.getProperty("user.home") + "/.cache");
    Path kubeconfig = Path.of(cache, "pliant/kubernetes/run/admin.kubeconfig");
    return new KubernetesClientBuilder()
        .withConfig(Config.fromKubeconfig(kubeconfig.toFile()))
        .build();
  }

  KubernetesClient client() {
    return client;
  }

  /// Runs one of the cluster's scripts.
  void run(String script, String... arguments) throws IOException, InterruptedException {
    run(scripts, log, script, arguments);
  }

  private static void run(Path scripts, Path log, String script, String... arguments)
      throws IOException, InterruptedException {
    var command = new ArrayList<>(List.of(scripts.resolve(script).toString()));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(Redirect.appendTo(log.toFile()))
            .start();
    if (!process.waitFor(SCRIPT.toSeconds(), TimeUnit.SECONDS)) {
      process.destroyForcibly();
      throw new IOException(
          "e2e/cluster/%s took more than %d minutes; its log is %s"
              .formatted(script, SCRIPT.toMinutes(), log));
    }
    if (process.exitValue() != 0) {
      throw new IOException("e2e/cluster/%s failed; its log is %s".formatted(script, log));
    }
  }

  @Override
  public void close() {
    client.close();
  }
}
