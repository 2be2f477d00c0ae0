package dev.pliant.e2e;

import dev.pliant.testing.Needs;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Helm, which is built from source once on a machine.
record Helm(String program) {
  private static final Duration BUILD = Duration.ofMinutes(25);
  private static final Duration BOUND = Duration.ofMinutes(4);

  static Helm built() {
    Needs.that(Go.isThere(), "Go, to build Helm");
    return new Helm(
        Commands.run(
                Commands.root(),
                Map.of(),
                BUILD,
                Commands.root().resolve("e2e/cluster/build-tool").toString(),
                "helm")
            .orThrow("build-tool helm")
            .output()
            .strip()
            .lines()
            .reduce("", (_, last) -> last));
  }

  static Path chart() {
    return Commands.root().resolve("deploy/helm/pliant");
  }

  /// In namespace `pliant-system` of a cluster.
  Commands.Result on(RealCluster cluster, String... arguments) {
    List<String> command = new ArrayList<>(List.of(program));
    command.addAll(List.of(arguments));
    command.addAll(List.of("--namespace", "pliant-system"));
    return Commands.run(
            Commands.root(),
            Map.of("KUBECONFIG", cluster.kubeconfig().toString()),
            BOUND,
            command.toArray(String[]::new))
        .orThrow("helm " + arguments[0]);
  }
}
