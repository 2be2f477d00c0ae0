package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// What a cluster does to pods for the sake of others: it evicts one, it makes room for somebody
/// more important, it drains a machine. Pods are replaced, and none of it counts as a failure.
class DisruptionsIT {
  private static final String PRIORITY =
      """
      apiVersion: scheduling.k8s.io/v1
      kind: PriorityClass
      metadata: {name: pliant-important}
      value: 1000
      """;

  private static final String IMPORTANT =
      """
      apiVersion: v1
      kind: Pod
      metadata: {name: important}
      spec:
        priorityClassName: pliant-important
        terminationGracePeriodSeconds: 0
        securityContext: {runAsNonRoot: true, runAsUser: 65532, seccompProfile: {type: RuntimeDefault}}
        containers:
          - name: main
            image: pliant.local/pause:1
            command: [/pause]
            resources: {requests: {cpu: %dm}}
            securityContext: {allowPrivilegeEscalation: false, capabilities: {drop: [ALL]}}
      """;

  @TempDir Path folder;

  private @Nullable String drained;

  @AfterEach
  void leaveTheClusterAsItWas() {
    RealCluster cluster = RealCluster.ready();
    if (drained != null) {
      cluster.kubectl("uncordon", drained).orThrow("uncordon");
    }
    cluster.kubectl("delete", "priorityclass", "pliant-important", "--ignore-not-found");
  }

  @Test
  void podsThatTheClusterTakesAwayAreReplacedAndNoRestartIsUsedUp() throws Exception {
    RealCluster cluster = RealCluster.ready();
    Needs.that(nodes(cluster).size() == 1, "a cluster of one node, to know where pods fit");
    try (PacedJobs jobs = PacedJobs.in(cluster, "disruptions", folder)) {
      jobs.apply(PRIORITY);
      ClusterJob job = jobs.start("count", "ElasticJobScaler", 2);
      evict(cluster, jobs, job);
      preempt(cluster, jobs, job);
      drain(cluster, jobs, job);
      jobs.finish(job);
    }
  }

  private static void evict(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    String evicted = job.workers().keySet().iterator().next();

    assertThat(cluster.client().pods().inNamespace(job.namespace()).withName(evicted).evict())
        .as("whether the API server evicts " + evicted)
        .isTrue();

    awaitOthers(job, Set.of(evicted));
    job.await("the end of " + evicted, PacedJobs.BOUND, () -> isGone(cluster, job, evicted));
    jobs.say(evicted + " was evicted and replaced");
  }

  /// Its room is free only then.
  private static boolean isGone(RealCluster cluster, ClusterJob job, String pod) {
    return cluster.client().pods().inNamespace(job.namespace()).withName(pod).get() == null;
  }

  private static void preempt(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    Set<String> before = Set.copyOf(job.workers().keySet());
    long free = freeMilliCores(cluster);
    // Less than a worker asks for. An API server may learn of a priority later than others do.
    job.await(
        "an API server that takes the important one",
        PacedJobs.BOUND,
        () -> jobs.tryToApply(IMPORTANT.formatted(free + 50)).exit() == 0);
    job.await(
        "room for the important one",
        PacedJobs.BOUND,
        () -> "Running".equals(job.pod("important").getStatus().getPhase()));
    List<String> lost = new ArrayList<>(before);
    lost.removeAll(job.workers().keySet());
    assertThat(lost).as("workers that had to go").hasSize(1);
    job.await(
        "word of what is missing",
        PacedJobs.BOUND,
        () -> {
          Condition ready = podsReady(job);
          return ready.getReason().equals("Unschedulable")
              && ready.getMessage().contains("Insufficient cpu");
        });

    cluster.client().pods().inNamespace(job.namespace()).withName("important").delete();

    awaitOthers(job, Set.copyOf(lost));
    jobs.say(lost + " had to make room and was replaced");
  }

  /// The job's master is among those that go.
  private void drain(RealCluster cluster, PacedJobs jobs, ClusterJob job) {
    String node = node(cluster).getMetadata().getName();
    drained = node;
    Set<String> before = Set.copyOf(job.workers().keySet());
    cluster
        .kubectl(
            "drain",
            node,
            "--pod-selector=pliant.dev/job=" + job.name(),
            "--delete-emptydir-data",
            "--timeout=90s")
        .orThrow("kubectl drain");
    assertThat(job.running("worker")).isEmpty();
    assertThat(job.running("master")).isEmpty();

    cluster.kubectl("uncordon", node).orThrow("kubectl uncordon");

    awaitOthers(job, before);
    jobs.say("the node was drained, and is used again");
  }

  /// Two work again, none of them one of `gone`, and none of them came after a failure.
  private static void awaitOthers(ClusterJob job, Set<String> gone) {
    job.await(
        "others than " + gone,
        PacedJobs.BOUND,
        () -> {
          Set<String> workers = job.workers().keySet();
          return workers.size() == 2 && Collections.disjoint(workers, gone);
        });
    job.awaitProgress(PacedJobs.BOUND);
    assertThat(job.running("worker"))
        .extracting(DisruptionsIT::restarts)
        .as("restarts that were used up")
        .containsOnly("0");
  }

  private static String restarts(Pod pod) {
    List<String> arguments = pod.getSpec().getContainers().getFirst().getArgs();
    return arguments.get(arguments.indexOf("--restarts") + 1);
  }

  private static Condition podsReady(ClusterJob job) {
    return Objects.requireNonNull(job.status().orElseThrow().conditions()).stream()
        .filter(condition -> "PodsReady".equals(condition.getType()))
        .findFirst()
        .orElseThrow();
  }

  private static List<Node> nodes(RealCluster cluster) {
    return cluster.client().nodes().withoutLabel("type", "kwok").list().getItems();
  }

  private static Node node(RealCluster cluster) {
    return nodes(cluster).getFirst();
  }

  private static long freeMilliCores(RealCluster cluster) {
    Node node = node(cluster);
    long free = cores(node.getStatus().getAllocatable());
    for (Pod pod : cluster.client().pods().inAnyNamespace().list().getItems()) {
      boolean counts =
          node.getMetadata().getName().equals(pod.getSpec().getNodeName())
              && !Set.of("Succeeded", "Failed").contains(pod.getStatus().getPhase());
      free -= counts ? requested(pod) : 0;
    }
    return free;
  }

  /// Containers run together; none of those before them asks for more.
  private static long requested(Pod pod) {
    return pod.getSpec().getContainers().stream()
        .mapToLong(container -> cores(container.getResources().getRequests()))
        .sum();
  }

  /// In thousandths; none where none are named.
  private static long cores(@Nullable Map<String, Quantity> resources) {
    Quantity cores = resources == null ? null : resources.get("cpu");
    return cores == null
        ? 0
        : cores.getNumericalAmount().multiply(BigDecimal.valueOf(1000)).longValue();
  }
}
