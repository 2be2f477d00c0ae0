package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscalerCondition;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What people type and what autoscalers do: the plugin of kubectl, the scale subresource, and an
/// autoscaler of Kubernetes' own.
class KubectlIT {
  private static final String AUTOSCALER =
      """
      apiVersion: autoscaling/v2
      kind: HorizontalPodAutoscaler
      metadata: {name: count}
      spec:
        scaleTargetRef: {apiVersion: elastic.iml.github.io/v1alpha1, kind: ElasticJob, name: count}
        minReplicas: 3
        maxReplicas: 4
        metrics:
          - type: Resource
            resource: {name: cpu, target: {type: Utilization, averageUtilization: 80}}
      """;

  @TempDir Path folder;

  @Test
  void aJobIsScaledByThePluginAndByAnAutoscaler() throws Exception {
    RealCluster cluster = RealCluster.ready();
    Path tree = FreshTree.built().path();
    try (PacedJobs jobs = PacedJobs.in(cluster, "kubectl", folder)) {
      ClusterJob job =
          jobs.start("count", "ElasticJobScaler", 1, yaml -> submit(cluster, tree, yaml));
      showsWhatItDoes(cluster, job, tree);
      scalesByThePlugin(cluster, jobs, job, tree);
      showsItsScale(cluster, job);
      scalesByKubectl(cluster, jobs, job);
      scalesByAnAutoscaler(cluster, jobs, job);
      jobs.finish(job);
      assertThat(plugin(cluster, tree, job, "logs", "count").output())
          .as("what its workers printed last")
          .containsPattern("worker \\S+: \\d+ shards");
      assertThat(plugin(cluster, tree, job, "delete", "count").output()).contains("count");
      assertThat(job.objects()).as("left behind").isEmpty();
    }
  }

  private void submit(RealCluster cluster, Path tree, String yaml) {
    try {
      Path file = Files.writeString(folder.resolve("job.yaml"), yaml);
      var unused =
          cluster
              .kubectl(
                  Map.of("PATH", tree + ":" + System.getenv("PATH")),
                  "pliant",
                  "submit",
                  file.toString())
              .orThrow("kubectl pliant submit");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// What only its master knows comes through a forwarded port, by the job's own Secret.
  private static void showsWhatItDoes(RealCluster cluster, ClusterJob job, Path tree) {
    job.awaitProgress(PacedJobs.BOUND);
    JsonNode described =
        Serialization.unmarshal(
            plugin(cluster, tree, job, "describe", "count", "-o", "json").output(), JsonNode.class);
    assertThat(described.findValues("recordsDone"))
        .as(described.toPrettyString())
        .anyMatch(done -> done.asLong() > 0);
  }

  private static void scalesByThePlugin(
      RealCluster cluster, PacedJobs jobs, ClusterJob job, Path tree) {
    awaitWord(job, "1/1");
    assertThat(plugin(cluster, tree, job, "get").output())
        .containsPattern("(?m)^count\\s.*\\S*[Rr]unning\\s+1");
    assertThat(plugin(cluster, tree, job, "scale", "count", "--workers", "2").output())
        .contains("2");
    job.awaitWorkers(2, PacedJobs.BOUND);
    awaitWord(job, "2/2");
    jobs.say("the plugin has scaled it to 2");
  }

  /// Who waits for the pods after a change waits for those that follow from it.
  private static void scalesByKubectl(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    kubectl(cluster, job, "scale", "elasticjob/count", "--replicas=3");
    kubectl(
        cluster, job, "wait", "elasticjob/count", "--for=condition=PodsReady", "--timeout=120s");
    assertThat(job.workers()).hasSize(3);
    jobs.say("kubectl has scaled it to 3, and has waited for its pods");
    kubectl(cluster, job, "scale", "elasticjob/count", "--replicas=2");
    job.awaitWorkers(2, PacedJobs.BOUND);
    awaitWord(job, "2/2");
  }

  private static void kubectl(RealCluster cluster, ClusterJob job, String... arguments) {
    List<String> all = new ArrayList<>(List.of("-n", job.namespace()));
    all.addAll(List.of(arguments));
    var unused = cluster.kubectl(all.toArray(String[]::new)).orThrow("kubectl " + arguments[0]);
  }

  /// The operator's word comes after the pods, and is all that people and autoscalers see.
  private static void awaitWord(ClusterJob job, String ready) {
    job.await(
        "word of " + ready + " workers",
        PacedJobs.BOUND,
        () ->
            job.status()
                .filter(status -> status.phase() == JobStatePhase.Running)
                .map(JobStatus::ready)
                .filter(ready::equals)
                .isPresent());
  }

  private static Commands.Result plugin(
      RealCluster cluster, Path tree, ClusterJob job, String... arguments) {
    List<String> all = new ArrayList<>(List.of("pliant"));
    all.addAll(List.of(arguments));
    all.addAll(List.of("-n", job.namespace()));
    return cluster
        .kubectl(Map.of("PATH", tree + ":" + System.getenv("PATH")), all.toArray(String[]::new))
        .orThrow("kubectl pliant");
  }

  /// An autoscaler knows nothing else of a job.
  private static void showsItsScale(RealCluster cluster, ClusterJob job) {
    String said =
        cluster
            .kubectl(
                "get",
                "--raw",
                "/apis/elastic.iml.github.io/v1alpha1/namespaces/%s/elasticjobs/%s/scale"
                    .formatted(job.namespace(), job.name()))
            .orThrow("kubectl get --raw")
            .output();
    GenericKubernetesResource scale =
        Serialization.unmarshal(said, GenericKubernetesResource.class);

    assertThat(scale.<Integer>get("spec", "replicas")).isEqualTo(2);
    assertThat(scale.<Integer>get("status", "replicas")).isEqualTo(2);
    assertThat(
            cluster
                .client()
                .pods()
                .inNamespace(job.namespace())
                .withLabelSelector(scale.<String>get("status", "selector"))
                .list()
                .getItems())
        .extracting(pod -> pod.getMetadata().getName())
        .containsExactlyInAnyOrderElementsOf(job.workers().keySet());
  }

  /// Nothing measures pods here: it brings the job to the fewest that it may have, and says why it
  /// does no more.
  private static void scalesByAnAutoscaler(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    jobs.apply(AUTOSCALER);

    job.awaitWorkers(3, PacedJobs.BOUND);
    job.await(
        "an autoscaler that found the job's scale",
        PacedJobs.BOUND,
        () ->
            conditions(cluster, job)
                .containsAll(
                    List.of("AbleToScale=True", "ScalingActive=False FailedGetResourceMetric")));
    jobs.say("an autoscaler has scaled it to 3");
  }

  private static List<String> conditions(RealCluster cluster, ClusterJob job) {
    return cluster
        .client()
        .autoscaling()
        .v2()
        .horizontalPodAutoscalers()
        .inNamespace(job.namespace())
        .withName("count")
        .require()
        .getStatus()
        .getConditions()
        .stream()
        .map(KubectlIT::word)
        .toList();
  }

  private static String word(HorizontalPodAutoscalerCondition condition) {
    String state = condition.getType() + "=" + condition.getStatus();
    return "True".equals(condition.getStatus()) ? state : state + " " + condition.getReason();
  }
}
