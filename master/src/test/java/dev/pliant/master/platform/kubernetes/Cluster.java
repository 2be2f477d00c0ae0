package dev.pliant.master.platform.kubernetes;

import static org.awaitility.Awaitility.await;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;

/// The real cluster that `KUBECONFIG` names, and a namespace of it.
final class Cluster implements AutoCloseable {
  private static final String OPERATOR = "pliant-operator";
  private static final AtomicInteger JOBS = new AtomicInteger();

  final KubernetesClient client = JobApi.connect();
  final String namespace = "pliant-master-it-" + UUID.randomUUID().toString().substring(0, 8);

  private Cluster() {}

  static Cluster needed() {
    Needs.clusterOfThisMachine();
    Cluster cluster = new Cluster();
    Needs.that(
        cluster.client.apps().deployments().inAnyNamespace().list().getItems().stream()
            .noneMatch(deployment -> deployment.getMetadata().getName().contains(OPERATOR)),
        "a cluster without an operator: it would start a master of its own for each job");
    for (String definition : new String[] {"elasticjobs", "scaleplans", "jobresources"}) {
      cluster.define("/dev/pliant/crds/" + definition + ".yaml");
    }
    cluster
        .client
        .resource(
            new NamespaceBuilder()
                .withNewMetadata()
                .withName(cluster.namespace)
                .endMetadata()
                .build())
        .create();
    return cluster;
  }

  private void define(String resource) {
    InputStream yaml =
        Objects.requireNonNull(Cluster.class.getResourceAsStream(resource), resource);
    CustomResourceDefinition definition =
        Serialization.unmarshal(yaml, CustomResourceDefinition.class);
    try {
      client.resource(definition).create();
    } catch (KubernetesClientException e) {
      if (e.getCode() != 409) {
        throw e;
      }
    }
    var kind = CustomResourceDefinitionContext.fromCrd(definition);
    await("an API server that serves what was defined")
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .until(() -> client.genericKubernetesResources(kind).inNamespace("default").list() != null);
  }

  /// A job that no master runs yet.
  ElasticJobResource job(String scaler, String script) {
    String name = "job-%d".formatted(JOBS.incrementAndGet());
    ElasticJobResource job =
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata:
              name: %s
              namespace: %s
            spec:
              distributionStrategy: Local
              scaler: %s
              replicaSpecs:
                worker:
                  replicas: 1
                  minReplicas: 1
                  maxReplicas: 4
                  template:
                    spec:
                      terminationGracePeriodSeconds: 4
                      containers:
                        - name: main
                          image: pliant.local/busybox:1
                          imagePullPolicy: IfNotPresent
                          command: [/bin/sh, -c, "%s"]
                          resources:
                            limits: {cpu: 200m, memory: 32Mi}
                            requests: {cpu: 1m, memory: 4Mi}
            """
                .formatted(name, namespace, scaler, script),
            ElasticJobResource.class);
    return client.resource(job).create();
  }

  void removePods(String job) {
    for (Pod pod :
        client.pods().inNamespace(namespace).withLabel("pliant.dev/job", job).list().getItems()) {
      client.resource(pod).withGracePeriod(0).delete();
    }
  }

  @Override
  public void close() {
    client.namespaces().withName(namespace).delete();
    client.close();
  }
}
