package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// The Helm chart's life on a cluster, as deploy/README.md tells it: installed, upgraded while a
/// job works, uninstalled beside a job that goes on, and removed with all jobs.
@Timeout(value = 45, unit = TimeUnit.MINUTES) // On a machine that has to build Helm first.
class ChartIT {
  private static final String NEXT = "next";

  @TempDir Path folder;

  @AfterEach
  void whoComesNextInstallsAnew() {
    RealCluster.forget();
  }

  @Test
  void isInstalledUpgradedAndUninstalledWhileJobsRun() throws Exception {
    RealCluster cluster = RealCluster.ready();
    Helm helm = Helm.built();
    cluster.uninstall();
    String chart = Helm.chart().toString();
    helm.on(cluster, "install", "pliant", chart, "--create-namespace", "--wait");
    try (PacedJobs jobs = PacedJobs.in(cluster, "chart", folder)) {
      ClusterJob job = jobs.start("count", "ElasticJobScaler", 1);
      showsMetrics(cluster);
      isUpgraded(cluster, helm, jobs, job);

      Map<String, String> before = pods(job);
      helm.on(cluster, "uninstall", "pliant", "--wait");
      job.awaitProgress(PacedJobs.BOUND);
      assertThat(pods(job)).as("pods of a job without an operator").isEqualTo(before);
      jobs.say("the chart is uninstalled, and the job goes on");

      helm.on(cluster, "install", "pliant", chart, "--set", "images.tag=" + NEXT, "--wait");
      jobs.finish(job);
      ClusterJob second = jobs.start("second", "ElasticJobScaler", 1);
      // As deploy/README.md has it: the operator deletes what jobs have on claims.
      cluster
          .kubectl("delete", "elasticjobs", "--all", "-A", "--timeout=120s")
          .orThrow("kubectl delete");
      helm.on(cluster, "upgrade", "pliant", chart, "--reuse-values", "--set", "crds.keep=false");
      helm.on(cluster, "uninstall", "pliant");
      second.await("pods left behind", PacedJobs.BOUND, () -> everyPod(second).isEmpty());
      second.await("kinds left behind", PacedJobs.BOUND, () -> kinds(cluster).isEmpty());
      jobs.say("the chart is gone, and all jobs with it");
    }
  }

  private static void showsMetrics(RealCluster cluster) {
    assertThat(OperatorTelling.metrics(cluster))
        .contains("\npliant_operator_jobs 1\n")
        .contains("\npliant_operator_pods_created_total 2\n")
        .contains("\npliant_operator_pods_refused_total 0\n");
  }

  /// A newer operator takes over: the pods of the job stay, and new ones have its images.
  private static void isUpgraded(RealCluster cluster, Helm helm, PacedJobs jobs, ClusterJob job) {
    String image = image(operators(cluster).getFirst());
    String tag = image.substring(image.lastIndexOf(':') + 1);
    for (String name : List.of("operator", "master", "agent")) {
      cluster.tagImage("pliant/%s:%s".formatted(name, tag), "pliant/%s:%s".formatted(name, NEXT));
    }
    Map<String, String> before = pods(job);

    helm.on(
        cluster,
        "upgrade",
        "pliant",
        Helm.chart().toString(),
        "--reuse-values",
        "--set",
        "images.tag=" + NEXT,
        "--wait");

    // Helm waits for the new one to be ready, not for the old one to be gone.
    job.await(
        "the newer operator alone",
        PacedJobs.BOUND,
        () ->
            operators(cluster).stream()
                .map(ChartIT::image)
                .toList()
                .equals(List.of("pliant/operator:" + NEXT)));
    job.awaitProgress(PacedJobs.BOUND);
    cluster
        .kubectl("-n", job.namespace(), "scale", "elasticjob/count", "--replicas=2")
        .orThrow("kubectl scale");
    job.awaitWorkers(2, PacedJobs.BOUND);
    assertThat(pods(job)).as("its pods, before and after").containsAllEntriesOf(before);
    assertThat(job.running("worker").getLast().getSpec().getInitContainers().getFirst().getImage())
        .isEqualTo("pliant/agent:" + NEXT);
    jobs.say("a newer operator has taken the job over");
  }

  private static String image(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getImage();
  }

  private static List<Pod> operators(RealCluster cluster) {
    return cluster
        .client()
        .pods()
        .inNamespace("pliant-system")
        .withLabel("app.kubernetes.io/component", "operator")
        .list()
        .getItems();
  }

  /// Workers and master: the uid of each, by its name.
  private static Map<String, String> pods(ClusterJob job) {
    Map<String, String> pods = new TreeMap<>(job.workers());
    job.running("master")
        .forEach(pod -> pods.put(pod.getMetadata().getName(), pod.getMetadata().getUid()));
    return pods;
  }

  private static List<Pod> everyPod(ClusterJob job) {
    return job.cluster().client().pods().inNamespace(job.namespace()).list().getItems();
  }

  private static List<CustomResourceDefinition> kinds(RealCluster cluster) {
    return cluster
        .client()
        .apiextensions()
        .v1()
        .customResourceDefinitions()
        .list()
        .getItems()
        .stream()
        .filter(kind -> kind.getSpec().getGroup().startsWith("elastic."))
        .toList();
  }
}
