package dev.pliant.e2e;

import io.fabric8.kubernetes.api.model.Pod;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// What the operator of a cluster tells of itself, since it started, and what its machine does.
record OperatorTelling(
    long podsCreated, long podsRefused, long statusesWritten, long residentMegabytes) {
  private static final String NAMESPACE = "pliant-system";

  static OperatorTelling of(RealCluster cluster) {
    String metrics = metrics(cluster);
    return new OperatorTelling(
        number(metrics, "pods_created_total"),
        number(metrics, "pods_refused_total"),
        number(metrics, "statuses_written_total"),
        resident());
  }

  /// Its metrics, as Prometheus would read them.
  static String metrics(RealCluster cluster) {
    return cluster
        .kubectl(
            "get",
            "--raw",
            "/api/v1/namespaces/%s/pods/%s:8080/proxy/metrics".formatted(NAMESPACE, pod(cluster)))
        .orThrow("kubectl get --raw")
        .output();
  }

  private static String pod(RealCluster cluster) {
    List<Pod> operators =
        cluster
            .client()
            .pods()
            .inNamespace(NAMESPACE)
            .withLabel("app.kubernetes.io/component", "operator")
            .list()
            .getItems()
            .stream()
            .filter(pod -> pod.getMetadata().getDeletionTimestamp() == null)
            .toList();
    if (operators.size() != 1) {
      throw new AssertionError("not one operator, but " + operators.size());
    }
    return operators.getFirst().getMetadata().getName();
  }

  private static long number(String metrics, String name) {
    String start = "pliant_operator_" + name + " ";
    return metrics
        .lines()
        .filter(line -> line.startsWith(start))
        .mapToLong(line -> Long.parseLong(line.substring(start.length())))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + start + "in " + metrics));
  }

  /// Its pod is a process of this machine, which has seen the path of its arguments.
  private static long resident() {
    return ProcessHandle.allProcesses()
        .filter(process -> process.info().commandLine().orElse("").contains("/operator.args"))
        .mapToLong(process -> residentKilobytes(process.pid()) / 1024)
        .max()
        .orElse(0);
  }

  private static long residentKilobytes(long pid) {
    try {
      return Files.readAllLines(Path.of("/proc", Long.toString(pid), "status")).stream()
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
