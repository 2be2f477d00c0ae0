package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// Many jobs at once, on nodes that only say that they run pods. Masters do not run either: the
/// test writes their plans. How fast it goes is measured elsewhere, by `benchmarks/run pods`.
class ScaleIT {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final int NODES = 20;
  private static final int JOBS = 10;
  private static final int WORKERS = 10;

  /// Of one job that comes, grows, shrinks and ends, however slowly: its words, among them that all
  /// workers were made, which is one turn of the operator; and counts, at most one for each worker
  /// that is ready and one for each that goes. On a machine that is not busy most of those are left
  /// out: counts wait until they stay the same for a second.
  private static final int STATUSES = 2 * WORKERS + 8;

  /// For a thousand jobs; ten are to cost no more.
  private static final long MEGABYTES = 300;

  private static final String NAMESPACE = "scale-" + ProcessHandle.current().pid();

  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: NAME, namespace: NAMESPACE}
      spec:
        distributionStrategy: AllreduceStrategy
        replicaSpecs:
          master:
            template:
              spec:
                nodeSelector: {type: kwok}
                tolerations: [{key: kwok.x-k8s.io/node, operator: Exists}]
                containers: [{name: main}]
          worker:
            replicas: 10
            template:
              spec:
                nodeSelector: {type: kwok}
                tolerations: [{key: kwok.x-k8s.io/node, operator: Exists}]
                containers: [{name: main, image: "pliant.local/pause:1", command: [/pause]}]
      """;

  @BeforeEach
  void simulateNodes() {
    RealCluster cluster = RealCluster.ready();
    Needs.that(Go.isThere(), "Go, to build KWOK");
    cluster.simulate(NODES);
    cluster
        .client()
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
  }

  @AfterEach
  void leaveTheRealNode() {
    if (Go.isThere()) {
      RealCluster cluster = RealCluster.ready();
      try {
        cluster.remove(NAMESPACE);
      } finally {
        cluster.simulate(0);
      }
    }
  }

  @Test
  void manyJobsComeToRunAndGoAgain() {
    RealCluster cluster = RealCluster.ready();
    OperatorTelling before = OperatorTelling.of(cluster);
    for (int i = 0; i < JOBS; i++) {
      cluster.client().resource(job("j" + i)).create();
    }
    await("masters", () -> running(cluster, "master") == JOBS);

    for (int i = 0; i < JOBS; i++) {
      apply(cluster, "j" + i, WORKERS, JobStatePhase.Running);
    }
    await("workers", () -> running(cluster, "worker") == JOBS * WORKERS);
    await("jobs whose pods are there", () -> in(cluster, JobStatePhase.Running, "10/10") == JOBS);
    assertThat(pods(cluster, "worker"))
        .extracting(pod -> pod.getSpec().getNodeName())
        .allMatch(node -> node.startsWith("simulated-"));

    for (int i = 0; i < JOBS; i++) {
      apply(cluster, "j" + i, 0, JobStatePhase.Running);
    }
    await("no workers", () -> pods(cluster, "worker").isEmpty());

    for (int i = 0; i < JOBS; i++) {
      apply(cluster, "j" + i, 0, JobStatePhase.Succeeded);
    }
    await("the end of all", () -> in(cluster, JobStatePhase.Succeeded, "0/0") == JOBS);
    doneOnce(before, OperatorTelling.of(cluster));
    cluster.client().resources(ElasticJobResource.class).inNamespace(NAMESPACE).delete();
    await("pods left behind", () -> everyPod(cluster).isEmpty());
  }

  private static void doneOnce(OperatorTelling before, OperatorTelling after) {
    assertThat(after.podsCreated() - before.podsCreated())
        .as("pods that were made, none of them twice")
        .isEqualTo(JOBS * (1 + WORKERS));
    assertThat(after.podsRefused() - before.podsRefused()).as("pods refused").isZero();
    long statuses = after.statusesWritten() - before.statusesWritten();
    System.out.printf("ScaleIT: %d statuses, %d MB%n", statuses, after.residentMegabytes());
    assertThat(statuses).as("statuses written").isBetween((long) JOBS, (long) JOBS * STATUSES);
    assertThat(after.residentMegabytes()).as("its memory, in MB").isBetween(1L, MEGABYTES);
  }

  private static ElasticJobResource job(String name) {
    String yaml = JOB.replace("NAMESPACE", NAMESPACE).replace("NAME", name);
    return RealCluster.ready()
        .client()
        .resources(ElasticJobResource.class)
        .load(new ByteArrayInputStream(yaml.getBytes(StandardCharsets.UTF_8)))
        .item();
  }

  /// Says of a job what its master would.
  private static void apply(RealCluster cluster, String job, int workers, JobStatePhase phase) {
    ScalePlan plan = new ScalePlan();
    plan.setMetadata(
        new ObjectMetaBuilder()
            .withName(job + "-auto")
            .withNamespace(NAMESPACE)
            .addToLabels("scale-type", "auto")
            .addToLabels("pliant.dev/job", job)
            .build());
    List<PodPlan> pods =
        IntStream.range(0, workers)
            .mapToObj(n -> new PodPlan(job + "-worker-" + n, "worker", n, n, 0, null))
            .toList();
    JobReport report = new JobReport(phase, "", workers, 1, WORKERS, 0);
    plan.setSpec(new ScalePlanSpec(job, null, pods, List.of(), null, null, 1L, report));
    cluster
        .client()
        .resource(plan)
        .forceConflicts()
        .fieldManager("pliant-master")
        .serverSideApply();
  }

  private static long running(RealCluster cluster, String role) {
    return pods(cluster, role).stream()
        .filter(pod -> "Running".equals(pod.getStatus().getPhase()))
        .count();
  }

  private static List<Pod> pods(RealCluster cluster, String role) {
    return cluster
        .client()
        .pods()
        .inNamespace(NAMESPACE)
        .withLabel("pliant.dev/role", role)
        .list()
        .getItems();
  }

  private static List<Pod> everyPod(RealCluster cluster) {
    return cluster.client().pods().inNamespace(NAMESPACE).list().getItems();
  }

  private static long in(RealCluster cluster, JobStatePhase phase, String ready) {
    return cluster
        .client()
        .resources(ElasticJobResource.class)
        .inNamespace(NAMESPACE)
        .list()
        .getItems()
        .stream()
        .map(ElasticJobResource::getStatus)
        .filter(Objects::nonNull)
        .filter((JobStatus status) -> status.phase() == phase && ready.equals(status.ready()))
        .count();
  }

  private static void await(String what, Supplier<Boolean> until) {
    Awaitility.await(what)
        .atMost(BOUND)
        .ignoreExceptionsInstanceOf(KubernetesClientException.class)
        .until(until::get);
  }
}
