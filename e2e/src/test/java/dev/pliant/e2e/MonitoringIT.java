package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The kustomize overlay for clusters with the Prometheus operator. Here there is none; its kind is
/// defined by the test.
class MonitoringIT {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final String OVERLAY = "deploy/kustomize/overlays/servicemonitor";
  private static final String NAMESPACE = "pliant-system";

  private static final String KIND =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: servicemonitors.monitoring.coreos.com}
      spec:
        group: monitoring.coreos.com
        names: {kind: ServiceMonitor, plural: servicemonitors, singular: servicemonitor}
        scope: Namespaced
        versions:
          - name: v1
            served: true
            storage: true
            schema:
              openAPIV3Schema:
                type: object
                properties:
                  spec:
                    type: object
                    required: [endpoints, selector]
                    properties:
                      endpoints:
                        type: array
                        items:
                          type: object
                          properties:
                            port: {type: string}
                            path: {type: string}
                            interval: {type: string}
                      selector:
                        type: object
                        properties:
                          matchLabels: {type: object, additionalProperties: {type: string}}
      """;

  private static final ResourceDefinitionContext MONITORS =
      new ResourceDefinitionContext.Builder()
          .withGroup("monitoring.coreos.com")
          .withVersion("v1")
          .withKind("ServiceMonitor")
          .withPlural("servicemonitors")
          .withNamespaced(true)
          .build();

  @TempDir Path folder;

  @AfterEach
  void leaveTheClusterAsItWas() {
    RealCluster cluster = RealCluster.ready();
    cluster.kubectl("delete", "-f", OVERLAY + "/monitor.yaml", "--ignore-not-found");
    cluster.kubectl("delete", "-f", folder.resolve("kind.yaml").toString(), "--ignore-not-found");
  }

  @Test
  void theMonitorFindsTheOperatorsMetrics() throws Exception {
    RealCluster cluster = RealCluster.ready();
    define(cluster);

    // As e2e/cluster/install applies what the overlay is laid over.
    cluster
        .kubectl("apply", "--server-side", "--force-conflicts", "-k", OVERLAY)
        .orThrow("kubectl apply -k");

    GenericKubernetesResource monitor =
        cluster
            .client()
            .genericKubernetesResources(MONITORS)
            .inNamespace(NAMESPACE)
            .withName("pliant-operator")
            .require();
    List<Service> services =
        cluster
            .client()
            .services()
            .inNamespace(NAMESPACE)
            .withLabels(monitor.<Map<String, String>>get("spec", "selector", "matchLabels"))
            .list()
            .getItems();
    assertThat(services).as("services that it selects").hasSize(1);
    String port = monitor.get("spec", "endpoints", 0, "port");
    assertThat(services.getFirst().getSpec().getPorts())
        .extracting(each -> each.getName())
        .contains(port);
    assertThat(
            metrics(
                cluster, services.getFirst(), port, monitor.get("spec", "endpoints", 0, "path")))
        .contains("\npliant_operator_jobs ");
  }

  private void define(RealCluster cluster) throws IOException {
    Path file = Files.writeString(folder.resolve("kind.yaml"), KIND);
    cluster.kubectl("apply", "-f", file.toString()).orThrow("kubectl apply");
    cluster
        .kubectl("wait", "--for=condition=Established", "--timeout=120s", "-f", file.toString())
        .orThrow("kubectl wait");
  }

  /// What answers there. That a service has pods behind it is known a moment later.
  private static String metrics(RealCluster cluster, Service service, String port, String path) {
    return Awaitility.await("metrics of " + service.getMetadata().getName())
        .atMost(BOUND)
        .until(
            () ->
                cluster.kubectl(
                    "get",
                    "--raw",
                    "/api/v1/namespaces/%s/services/%s:%s/proxy%s"
                        .formatted(NAMESPACE, service.getMetadata().getName(), port, path)),
            said -> said.exit() == 0)
        .output();
  }
}
