package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import io.fabric8.kubernetes.api.model.Pod;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Jobs whose pods are not made by way of a ScalePlan: one whose master makes them itself, and one
/// whose master writes a JobResource.
class ScalersIT {
  private static final String OPERATOR = "deployment/pliant-operator";

  @TempDir Path folder;

  @AfterEach
  void bringTheOperatorBack() {
    operators(RealCluster.ready(), 1);
  }

  @Test
  void trainsByPodsOfTheMasterAndByJobResources() throws Exception {
    RealCluster cluster = RealCluster.ready();
    try (PacedJobs jobs = PacedJobs.in(cluster, "scalers", folder)) {
      ClusterJob own = jobs.start("own", "PodScaler", 2);
      ClusterJob seed = jobs.start("seed", "JobResource", 1);
      aMasterMakesPodsOfItsJobAlone(cluster, jobs, own);
      replacesWithoutAnOperator(cluster, jobs, own);
      scalesByAJobResource(cluster, jobs, seed);
      jobs.finish(own);
      jobs.finish(seed);
    }
  }

  private static void aMasterMakesPodsOfItsJobAlone(
      RealCluster cluster, PacedJobs jobs, ClusterJob job) throws Exception {
    assertThat(
            cluster
                .client()
                .resources(ScalePlan.class)
                .inNamespace(job.namespace())
                .withName("own-auto")
                .require()
                .getMetadata()
                .getAnnotations())
        .containsEntry("pliant.dev/scaler", "PodScaler");
    String account = "system:serviceaccount:" + job.namespace() + ":own-pliant-master";
    assertThat(
            cluster
                .kubectl(
                    "--as=" + account,
                    "-n",
                    job.namespace(),
                    "delete",
                    "pod",
                    "seed-worker-0",
                    "--dry-run=server")
                .output())
        .contains("the master of job own may touch only pods with the label pliant.dev/job: own");
    jobs.say("a master may not touch another job's pods");
  }

  /// So it is the master that makes them.
  private static void replacesWithoutAnOperator(
      RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    operators(cluster, 0);
    job.await("the operator's end", PacedJobs.BOUND, () -> operatorPods(cluster).isEmpty());
    cluster.client().pods().inNamespace(job.namespace()).withName("own-worker-0").delete();
    job.await(
        "a pod for one that was deleted",
        PacedJobs.BOUND,
        () -> job.workers().keySet().equals(Set.of("own-worker-1", "own-worker-2")));
    job.awaitProgress(PacedJobs.BOUND);
    jobs.say("a pod was replaced while there was no operator");
    operators(cluster, 1);
  }

  private static void scalesByAJobResource(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    assertThat(
            cluster
                .client()
                .resources(JobResource.class)
                .inNamespace(job.namespace())
                .withName("seed-auto")
                .require()
                .getSpec()
                .worker())
        .isNotNull();
    cluster
        .kubectl("-n", job.namespace(), "scale", "elasticjob/seed", "--replicas=2")
        .orThrow("kubectl scale");
    job.awaitWorkers(2, PacedJobs.BOUND);
    assertThat(
            cluster
                .client()
                .resources(ScalePlan.class)
                .inNamespace(job.namespace())
                .withName("seed-auto")
                .get())
        .as("a ScalePlan beside the JobResource")
        .isNull();
    jobs.say("two workers by a JobResource");
  }

  private static List<Pod> operatorPods(RealCluster cluster) {
    return cluster
        .client()
        .pods()
        .inNamespace("pliant-system")
        .withLabel("app.kubernetes.io/component", "operator")
        .list()
        .getItems();
  }

  private static void operators(RealCluster cluster, int count) {
    cluster
        .kubectl("-n", "pliant-system", "scale", OPERATOR, "--replicas=" + count)
        .orThrow("kubectl scale");
    cluster
        .kubectl("-n", "pliant-system", "rollout", "status", OPERATOR, "--timeout=90s")
        .orThrow("kubectl rollout status");
  }
}
