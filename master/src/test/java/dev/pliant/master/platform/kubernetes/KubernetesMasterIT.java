package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.nodes.JobStanding;
import dev.pliant.master.Master;
import dev.pliant.master.MasterConfig;
import dev.pliant.master.platform.Platform;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A whole master beside a real API server; its pods are real, and have no agent in them.
class KubernetesMasterIT {
  private static final Duration BOUND = Duration.ofSeconds(90);

  @SuppressWarnings("NullAway.Init") // before all
  private static Cluster cluster;

  @TempDir Path folder;

  @SuppressWarnings("NullAway.Init") // by each test
  private KubernetesWorld world;

  @BeforeAll
  static void findACluster() {
    cluster = Cluster.needed();
  }

  @AfterAll
  static void leaveTheCluster() {
    if (cluster != null) {
      cluster.close();
    }
  }

  @AfterEach
  void endTheWorld() {
    if (world != null) {
      world.close();
    }
  }

  private Master start(Path jobFolder) throws IOException {
    JobStart start = JobStart.prepare(world.names.job(), jobFolder.resolve("journal"), Map.of());
    assertThat(start.over()).isFalse();
    return Master.start(
        MasterConfig.builder(world.names.job(), jobFolder)
            .heartbeatTimeout(Duration.ofHours(1)) // Nobody speaks for the nodes.
            .epochAbove(start.epochAbove())
            .nodes(MasterConfig.NodeConfig.kubernetes(start.plan(), Map.of(), start.lost()))
            .build(),
        InstantSource.system());
  }

  private ScalePlanSpec plan() {
    return Objects.requireNonNull(
            cluster
                .client
                .resources(ScalePlan.class)
                .inNamespace(cluster.namespace)
                .withName(world.names.plan())
                .get())
        .getSpec();
  }

  private JobReport report() {
    return Objects.requireNonNull(plan().job());
  }

  /// The report without its decisions, and without what it follows.
  private JobReport standing() {
    JobReport said = report();
    return new JobReport(
        said.phase(), said.message(), said.wish(), said.min(), said.max(), said.restarts());
  }

  private List<String> running() {
    return Objects.requireNonNull(plan().createPods()).stream().map(PodPlan::name).toList();
  }

  private List<String> pods(int... workers) {
    return java.util.Arrays.stream(workers)
        .mapToObj(number -> world.names.pod(new NodeId("worker", number)))
        .toList();
  }

  /// Until the plan follows the job as it is.
  private void awaitFollowed() {
    eventually(() -> job().get().getMetadata().getGeneration().equals(report().generation()));
  }

  private static void eventually(Callable<Boolean> what) {
    await().atMost(BOUND).ignoreExceptions().until(what);
  }

  private void awaitRunning(int... workers) {
    await()
        .atMost(BOUND)
        .ignoreExceptions()
        .untilAsserted(() -> {
          assertThat(running()).containsExactlyInAnyOrderElementsOf(pods(workers));
          assertThat(world.alive().stream().map(world.names::pod))
              .containsExactlyInAnyOrderElementsOf(pods(workers));
        });
  }

  private ScalePlanStatus answered(String name, String spec) {
    ScalePlan plan =
        Serialization.unmarshal(
            """
            ---
            {apiVersion: elastic.iml.github.io/v1alpha1, kind: ScalePlan,
             metadata: {name: %s, namespace: %s, labels: {scale-type: manual}},
             spec: {ownerJob: %s, %s}}
            """
                .formatted(name, cluster.namespace, world.names.job().name(), spec),
            ScalePlan.class);
    cluster.client.resource(plan).create();
    return await()
        .atMost(BOUND)
        .ignoreExceptions()
        .until(() -> status(name), status -> status.phase() != null);
  }

  private static ScalePlanStatus status(String name) {
    return cluster
        .client
        .resources(ScalePlan.class)
        .inNamespace(cluster.namespace)
        .withName(name)
        .get()
        .getStatus();
  }

  @Test
  void usersWishesAreTakenUpAndAnswered() throws Exception {
    world = new KubernetesWorld(cluster, ScalerKind.ElasticJobScaler, false);
    try (Master master = start(folder)) {
      assertThat(master.epoch()).isEqualTo(1);
      awaitRunning(0);
      eventually(() -> report().phase() == JobStatePhase.Running);

      patch("{\"spec\":{\"replicaSpecs\":{\"worker\":{\"replicas\":3}}}}");
      awaitRunning(0, 1, 2);
      awaitFollowed();

      ScalePlanStatus done = answered("down", "replicaResourceSpecs: {worker: {replicas: 2}}");
      assertThat(done.phase()).isEqualTo("Succeeded");
      assertThat(done.reason()).isEqualTo("worker: from 3 to 2 nodes");
      awaitRunning(0, 1);

      ScalePlanStatus refused =
          answered("too-many", "replicaResourceSpecs: {worker: {replicas: 9}}");
      assertThat(refused.phase()).isEqualTo("Failed");
      assertThat(refused.reason())
          .isEqualTo("9 nodes of role worker are asked for; this job takes from 1 to 4.");
      ScalePlanStatus unknown =
          answered(
              "unknown", "removePods: [{name: %s-worker-77}]".formatted(world.names.job().name()));
      assertThat(unknown.phase()).isEqualTo("Failed");

      replaceByJobResource();
      awaitRunning(1, 3);
      PodPlan larger =
          Objects.requireNonNull(plan().createPods()).stream()
              .filter(pod -> pod.name().endsWith("-3"))
              .findFirst()
              .orElseThrow();
      assertThat(larger.resource()).isEqualTo(Map.of("memory", new IntOrString("64Mi")));

      world.crash(new NodeId("worker", 1));
      awaitRunning(3, 4);
      eventually(() -> standing().equals(new JobReport(JobStatePhase.Running, null, 2, 1, 4, 2)));
    }
  }

  private void replaceByJobResource() {
    JobResource resource =
        Serialization.unmarshal(
            """
            ---
            {apiVersion: elastic.easydl.org/v1alpha1, kind: JobResource,
             metadata: {name: larger, namespace: %s},
             spec: {selector: {name: %s}, resource_updation: [{name: %s, resource: {memory: 64}}]}}
            """
                .formatted(
                    cluster.namespace,
                    world.names.job().name(),
                    world.names.pod(new NodeId("worker", 0))),
            JobResource.class);
    cluster.client.resource(resource).create();
    eventually(() ->
        "Succeeded"
            .equals(
                cluster
                    .client
                    .resources(JobResource.class)
                    .inNamespace(cluster.namespace)
                    .withName("larger")
                    .get()
                    .getStatus()
                    .phase()));
  }

  private List<String> uids() {
    return cluster
        .client
        .pods()
        .inNamespace(cluster.namespace)
        .withLabels(world.names.podSelector())
        .list()
        .getItems()
        .stream()
        .map(Pod::getMetadata)
        .map(metadata -> metadata.getUid())
        .toList();
  }

  @Test
  void theNextMasterGoesOnAndOneWithoutAJournalBeginsAnew() throws Exception {
    world = new KubernetesWorld(cluster, ScalerKind.ElasticJobScaler, false);
    try (Master first = start(folder)) {
      assertThat(first.epoch()).isEqualTo(1);
      awaitRunning(0);
    }
    List<String> before = uids();
    try (Master second = start(folder)) {
      assertThat(second.epoch()).isEqualTo(2);
      eventually(() -> Long.valueOf(2).equals(plan().masterEpoch()));
      awaitRunning(0);
      assertThat(uids()).isEqualTo(before);
      assertThat(answered("three", "replicaResourceSpecs: {worker: {replicas: 3}}").phase())
          .isEqualTo("Succeeded");
      awaitRunning(0, 1, 2);
      patch("{\"spec\":{\"replicaSpecs\":{\"worker\":{\"replicas\":2}}}}");
      awaitRunning(0, 1);
      assertThat(answered("four", "replicaResourceSpecs: {worker: {replicas: 4}}").phase())
          .isEqualTo("Succeeded");
      awaitRunning(0, 1, 3, 4);
      awaitFollowed();
    }

    try (Master third = start(folder.resolve("another"))) {
      assertThat(third.epoch()).isEqualTo(4); // The third cleared what was there.
      awaitRunning(5, 6, 7, 8); // As many as were wished last.
    }

    patch("{\"spec\":{\"ttl\":3600}}"); // Which is no word of its size.
    try (Master fourth = start(folder.resolve("the-fourth"))) {
      assertThat(fourth.epoch()).isEqualTo(6);
      awaitRunning(9, 10, 11, 12);
      patch("{\"spec\":{\"replicaSpecs\":{\"worker\":{\"replicas\":1}}}}");
      awaitRunning(9);
      awaitFollowed();
    }

    patch("{\"spec\":{\"replicaSpecs\":{\"worker\":{\"replicas\":2}}}}");
    try (Master fifth = start(folder.resolve("the-fifth"))) {
      assertThat(fifth.epoch()).isEqualTo(8);
      // As was said while no master was there. The plan forgets nodes that have ended, so the
      // numbers follow the last one that it still names, at least that of worker-9.
      eventually(() -> running().size() == 2);
      assertThat(running()).doesNotContainAnyElementsOf(pods(0, 1, 2, 3, 4, 5, 6, 7, 8, 9));
    }
  }

  @Test
  void anOlderMasterEndsOnceANewerOneHasSpoken() throws Exception {
    world = new KubernetesWorld(cluster, ScalerKind.ElasticJobScaler, false);
    try (Platform.Opened older = world.open(() -> true);
        Platform.Opened newer = world.open(() -> true)) {
      newer.scaler().scale(desired(0));
      awaitRunning(0);

      older.scaler().scale(desired(0, 1));

      older.over().get(BOUND.toSeconds(), TimeUnit.SECONDS);
      assertThat(running()).isEqualTo(pods(0));
      assertThat(newer.over()).isNotDone();
    }
  }

  private void patch(String changes) {
    var unused = job().patch(PatchContext.of(PatchType.JSON_MERGE), changes);
  }

  private Resource<ElasticJobResource> job() {
    return cluster
        .client
        .resources(ElasticJobResource.class)
        .inNamespace(cluster.namespace)
        .withName(world.names.job().name());
  }

  private void awaitRest() {
    awaitRunning();
    eventually(() -> Objects.requireNonNull(plan().removePods()).isEmpty());
    assertThat(report().phase()).isEqualTo(JobStatePhase.Suspended);
    assertThat(report().message()).isEqualTo("it is suspended");
  }

  @Test
  void aSuspendedJobRestsAndNothingOfThatCounts() throws Exception {
    world = new KubernetesWorld(cluster, ScalerKind.ElasticJobScaler, false);
    try (Master first = start(folder)) {
      assertThat(first.epoch()).isEqualTo(1);
      awaitRunning(0);
      patch("{\"spec\":{\"suspend\":true}}");
      awaitRest();

      patch("{\"spec\":{\"suspend\":false}}");
      awaitRunning(1);
      eventually(() -> report().phase() == JobStatePhase.Running);
      assertThat(report().restarts()).isZero();

      patch("{\"spec\":{\"suspend\":true}}");
      awaitRest();
    }
    patch("{\"spec\":{\"suspend\":false}}");
    try (Master second = start(folder)) {
      assertThat(second.epoch()).isEqualTo(2);
      awaitRunning(2);
      eventually(() -> report().phase() == JobStatePhase.Running);
      assertThat(report().restarts()).isZero();
    }

    // A rest that no master sees: all that is left of it is what the operator remembers.
    world.crash(new NodeId("worker", 2));
    var unused =
        job()
            .subresource("status")
            .patch(
                PatchContext.of(PatchType.JSON_MERGE),
                """
                {"status": {"conditions": [{"type": "Suspended", "status": "False",
                  "reason": "Resumed", "message": "", "lastTransitionTime": "%s"}]}}
                """
                    .formatted(nextSecond()));
    try (Master third = start(folder)) {
      assertThat(third.epoch()).isEqualTo(3);
      awaitRunning(3);
      assertThat(report().restarts()).isZero();
    }
  }

  /// A cluster's times have whole seconds: this one is after all that was before.
  private static Instant nextSecond() {
    return Instant.now().truncatedTo(ChronoUnit.SECONDS).plusSeconds(1);
  }

  private static DesiredNodes desired(int... workers) {
    return new DesiredNodes(
        true,
        IntStream.of(workers)
            .mapToObj(number ->
                new DesiredNode(
                    new NodeId("worker", number), NodeResources.UNBOUNDED, 0, number, false))
            .toList(),
        JobStanding.NONE);
  }

  @Test
  @Timeout(value = 2, unit = TimeUnit.MINUTES)
  void endsOnceTheClusterKnowsThatTheJobIsOver() throws Exception {
    world = new KubernetesWorld(cluster, ScalerKind.ElasticJobScaler, "exit 0");
    try (Master master = start(folder)) {
      assertThat(master.awaitTermination()).isNull();
    }
    assertThat(report().phase()).isEqualTo(JobStatePhase.Succeeded);
    assertThat(report().message()).isEqualTo("1 node succeeded");
    assertThat(JobStart.prepare(world.names.job(), folder.resolve("lost"), Map.of()).over())
        .isTrue();
  }
}
