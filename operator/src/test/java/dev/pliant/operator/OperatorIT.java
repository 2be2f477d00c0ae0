package dev.pliant.operator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLMapper;
import dev.pliant.crds.Container;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.Role;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.ScalePlan;
import io.fabric8.kubernetes.api.model.Condition;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.awaitility.core.ThrowingRunnable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/// The operator against a real API server. Its pods are real too, but do nothing.
@Execution(ExecutionMode.SAME_THREAD)
final class OperatorIT {
  private static final Duration SOON = Duration.ofSeconds(60);
  private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

  private static Optional<ClusterRoom> opened = Optional.empty();

  @BeforeAll
  static void open() {
    opened = Optional.of(ClusterRoom.open("one"));
  }

  @AfterAll
  static void close() {
    opened.ifPresent(ClusterRoom::close);
  }

  private static ClusterRoom room() {
    return opened.orElseThrow();
  }

  private static void soon(ThrowingRunnable assertion) {
    await()
        .atMost(SOON)
        .pollInterval(Duration.ofMillis(100))
        .ignoreExceptions()
        .untilAsserted(assertion);
  }

  private static ElasticJobResource create(String name, String more) {
    return room()
        .create(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: %s}
            spec:
              %s
              replicaSpecs:
                worker:
                  minReplicas: 1
                  maxReplicas: 8
                  template:
                    spec:
                      containers:
                        - name: main
                          image: pliant.local/busybox:1
                          imagePullPolicy: Never
                          command: [sleep, "3600"]
            """
                .formatted(name, more));
  }

  private static JobStatus status(String job) {
    return Objects.requireNonNull(room().job(job).getStatus(), "no status yet");
  }

  private static Condition condition(String job, String type) {
    return Objects.requireNonNull(status(job).conditions()).stream()
        .filter(c -> type.equals(c.getType()))
        .findFirst()
        .orElseThrow();
  }

  private static Map<String, String> uids(String job) {
    return room().podsOf(job).stream()
        .collect(
            Collectors.toMap(
                pod -> pod.getMetadata().getName(), pod -> pod.getMetadata().getUid()));
  }

  @Test
  void makesWhatAMasterNeedsAndThePodsOfItsPlan() {
    ElasticJobResource job = create("plain", "");

    soon(() -> assertThat(room().pods("plain")).containsExactly("plain-master-0"));
    assertThat(room().objects("plain"))
        .containsExactlyInAnyOrder(
            "NetworkPolicy plain-master",
            "Role plain-pliant-master",
            "RoleBinding plain-pliant-master",
            "Secret plain-pliant",
            "Service plain-master",
            "ServiceAccount plain-pliant-master");
    soon(() -> assertThat(condition("plain", "MasterReady").getStatus()).isEqualTo("True"));
    assertThat(Objects.requireNonNull(room().job("plain").getSpec().replicaSpecs()))
        .hasEntrySatisfying("worker", role -> assertThat(role.replicas()).isEqualTo(1));
    assertThat(condition("plain", "JournalVolatile").getStatus()).isEqualTo("True");

    room().plan(job, List.of("plain-worker-0", "plain-worker-1"), List.of(), JobStatePhase.Running);
    soon(() ->
        assertThat(room().pods("plain"))
            .containsExactly("plain-master-0", "plain-worker-0", "plain-worker-1"));
    soon(() -> {
      var status = Objects.requireNonNull(room().plan("plain").getStatus());
      assertThat(status.createdPods()).containsExactly("plain-worker-0", "plain-worker-1");
      assertThat(status.phase()).isEqualTo("Succeeded");
    });
    assertThat(
            room()
                .client
                .pods()
                .inNamespace(room().namespace)
                .withName("plain-worker-0")
                .get()
                .getMetadata()
                .getManagedFields())
        .extracting(field -> field.getManager())
        .contains("pliant-operator");
    soon(() -> assertThat(status("plain").replicas()).isEqualTo(2));
    assertThat(status("plain").phase()).isEqualTo(JobStatePhase.Running);
    assertThat(status("plain").ready()).isEqualTo("0/2");

    room().plan(job, List.of("plain-worker-0"), List.of("plain-worker-1"), JobStatePhase.Running);
    soon(
        () -> assertThat(room().pods("plain")).containsExactly("plain-master-0", "plain-worker-0"));

    room().client.pods().inNamespace(room().namespace).withName("plain-worker-0").delete();
    room()
        .plan(
            job,
            List.of("plain-worker-0", "plain-worker-2"),
            List.of("plain-worker-1"),
            JobStatePhase.Running);
    soon(
        () -> assertThat(room().pods("plain")).containsExactly("plain-master-0", "plain-worker-2"));
    soon(() ->
        assertThat(room().eventReasons("plain"))
            .contains("MasterCreated", "PodsCreated", "PodsLeaving", "JobRunning"));
    assertThat(room().events("plain")).as("each is told once").doesNotHaveDuplicates();

    room().client.resource(job).delete();
    soon(() -> assertThat(room().podNames("plain")).isEmpty());
    soon(() -> assertThat(room().objects("plain")).isEmpty());
  }

  @Test
  void aNewOperatorChangesNothingAndAnotherMasterTakesTheNextNumber() {
    ElasticJobResource job = create("again", "");
    soon(() -> assertThat(room().pods("again")).containsExactly("again-master-0"));
    room().plan(job, List.of("again-worker-0", "again-worker-1"), List.of(), JobStatePhase.Running);
    soon(() -> assertThat(room().pods("again")).hasSize(3));
    soon(() -> assertThat(status("again").replicas()).isEqualTo(2));
    soon(() -> assertThat(condition("again", "MasterReady").getStatus()).isEqualTo("True"));
    Map<String, String> before = uids("again");
    String version = room().job("again").getMetadata().getResourceVersion();

    room().restartOperator();
    // What it makes anew shows that it has looked.
    room().client.services().inNamespace(room().namespace).withName("again-master").delete();
    soon(() -> assertThat(room().objects("again")).contains("Service again-master"));

    assertThat(uids("again")).isEqualTo(before);
    assertThat(room().job("again").getMetadata().getResourceVersion()).isEqualTo(version);

    room().client.pods().inNamespace(room().namespace).withName("again-master-0").delete();
    soon(() -> assertThat(room().pods("again")).contains("again-master-1"));
    soon(() -> assertThat(status("again").masterStarts()).isEqualTo(2));
    assertThat(room().pods("again")).contains("again-worker-0", "again-worker-1");
  }

  @Test
  void suspendsAndResumes() {
    ElasticJobResource job = create("pause", "");
    soon(() -> assertThat(room().pods("pause")).containsExactly("pause-master-0"));
    room().plan(job, List.of("pause-worker-0"), List.of(), JobStatePhase.Running);
    soon(() -> assertThat(room().pods("pause")).hasSize(2));

    soon(() -> assertThat(condition("pause", "MasterReady").getStatus()).isEqualTo("True"));
    suspend("pause", true);
    soon(() -> assertThat(condition("pause", "Suspended").getStatus()).isEqualTo("Unknown"));
    assertThat(room().pods("pause")).as("its master is yet to let them go").hasSize(2);
    room().plan(job, List.of(), List.of("pause-worker-0"), JobStatePhase.Suspended);
    soon(() -> assertThat(room().pods("pause")).containsExactly("pause-master-0"));
    room().plan(job, List.of(), List.of(), JobStatePhase.Suspended);
    soon(() -> assertThat(status("pause").phase()).isEqualTo(JobStatePhase.Suspended));
    soon(() -> assertThat(room().podNames("pause")).isEmpty());

    suspend("pause", false);
    soon(() -> assertThat(room().pods("pause")).containsExactly("pause-master-1"));
    soon(() -> assertThat(condition("pause", "Suspended").getReason()).isEqualTo("Resumed"));
    assertThat(status("pause").phase()).isEqualTo(JobStatePhase.Pending);
  }

  @Test
  void followsWorkersDirectlyUnderSpecInAllThatTheySay() {
    room()
        .create(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: direct}
            spec:
              worker:
                replicas: 2
                maxReplicas: 4
                template: {spec: {containers: [{name: main, image: i, command: [x], env: }]}}
            """);
    soon(() -> assertThat(scaled("direct")).isEqualTo(2));
    soon(() -> assertThat(mayReachTheMaster("direct")).hasSize(1));
    soon(() -> assertThat(status("direct").directReplicas()).isEqualTo(2));

    change("direct", "{\"worker\":{\"replicas\":6,\"minReplicas\":5,\"maxReplicas\":8}}");
    soon(() -> assertThat(scaled("direct")).isEqualTo(6));

    change("direct", "{\"worker\":{\"template\":{\"spec\":{\"hostNetwork\":true}}}}");
    soon(() -> assertThat(mayReachTheMaster("direct")).as("from anywhere").isEmpty());
    assertThat(condition("direct", "Accepted").getStatus()).isEqualTo("True");
  }

  /// Published manifests write a 0, and are applied again and again.
  @Test
  void aZeroThatAUserWroteIsNoNumberAndStays() {
    room()
        .create(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: zero}
            spec:
              replicaSpecs:
                worker:
                  replicas: 0
                  template: {spec: {containers: [{name: main, image: i, command: [x]}]}}
            """);
    soon(() -> assertThat(status("zero").ready()).isEqualTo("0/1"));
    soon(() -> assertThat(status("zero").masterStarts()).isEqualTo(1));

    change("zero", "{\"replicaSpecs\":{\"worker\":{\"replicas\":0}}}");

    assertThat(scaled("zero")).isZero();
  }

  private static @Nullable Integer scaled(String name) {
    return Objects.requireNonNull(
            Objects.requireNonNull(room().job(name).getSpec().replicaSpecs()).get("worker"))
        .replicas();
  }

  private static List<NetworkPolicyPeer> mayReachTheMaster(String name) {
    return room()
        .client
        .network()
        .v1()
        .networkPolicies()
        .inNamespace(room().namespace)
        .withName(name + "-master")
        .get()
        .getSpec()
        .getIngress()
        .getFirst()
        .getFrom();
  }

  private static void suspend(String name, boolean suspend) {
    change(name, "{\"suspend\":%s}".formatted(suspend));
  }

  private static void change(String name, String spec) {
    room()
        .client
        .resources(ElasticJobResource.class)
        .inNamespace(room().namespace)
        .withName(name)
        .patch(
            new io.fabric8.kubernetes.client.dsl.base.PatchContext.Builder()
                .withPatchType(io.fabric8.kubernetes.client.dsl.base.PatchType.JSON_MERGE)
                .build(),
            "{\"spec\":%s}".formatted(spec));
  }

  @Test
  void releasesAJobThatIsOverAndDeletesItAfterItsTtl() {
    ElasticJobResource job = create("done", "cleanPodPolicy: All\n  ttl: 5");
    soon(() -> assertThat(room().pods("done")).containsExactly("done-master-0"));
    room().plan(job, List.of("done-worker-0"), List.of(), JobStatePhase.Running);
    soon(() -> assertThat(room().pods("done")).hasSize(2));

    room().plan(job, List.of(), List.of(), JobStatePhase.Succeeded);
    soon(() -> assertThat(status("done").phase()).isEqualTo(JobStatePhase.Succeeded));
    room().client.pods().inNamespace(room().namespace).withName("done-master-0").delete();

    soon(() -> assertThat(room().objects("done")).isEmpty());
    soon(() ->
        assertThat(
                room()
                    .client
                    .resources(ElasticJobResource.class)
                    .inNamespace(room().namespace)
                    .withName("done")
                    .get())
            .isNull());
    soon(() -> assertThat(room().podNames("done")).isEmpty());
  }

  @Test
  void saysWhatIsWrongWithAJob() {
    room()
        .create(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: bad}
            spec:
              worker: {replicas: 1, template: {spec: {containers: [{name: main, image: i}]}}}
            """);

    soon(() -> assertThat(condition("bad", "Accepted").getMessage()).contains("has no command"));
    assertThat(room().podNames("bad")).isEmpty();
    soon(() -> assertThat(room().eventReasons("bad")).contains("BadJob"));
  }

  @Test
  void saysOfATemplateThatTheClusterRefusesBeforeTheJobBegins() {
    String name = "impossible";
    String job =
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: impossible}
        spec:
          worker:
            template:
              spec:
                containers:
                  - name: main
                    image: pliant.local/busybox:1
                    imagePullPolicy: Never
                    command: [sleep, "3600"]
                    resource: {limits: {cpu: 1}}
                    ports: [{containerPort: 99999}]
        """;
    ElasticJobResource made = room().create(job);

    soon(() -> assertThat(condition(name, "Accepted").getReason()).isEqualTo("TemplateRefused"));
    assertThat(condition(name, "Accepted").getMessage())
        .startsWith("The cluster refuses the pod template of role 'worker': ")
        .contains("containerPort");
    assertThat(status(name).message()).contains("containerPort");
    assertThat(room().objects(name)).isEmpty();
    assertThat(room().pods(name)).isEmpty();

    ElasticJobResource mended =
        Serialization.unmarshal(job.replace("99999", "9999"), ElasticJobResource.class);
    mended.setMetadata(made.getMetadata());
    mended.getMetadata().setResourceVersion(null);
    mended.getMetadata().setManagedFields(null);
    room().client.resource(mended).update();
    soon(() -> assertThat(room().pods(name)).containsExactly("impossible-master-0"));
    soon(() ->
        assertThat(condition(name, "Accepted"))
            .satisfies(accepted -> {
              assertThat(accepted.getStatus()).isEqualTo("True");
              assertThat(accepted.getReason()).isEqualTo("UnknownFields");
              assertThat(accepted.getMessage())
                  .contains("unknown field \"spec.containers[0].resource\"");
            }));
    room().client.resource(room().job(name)).scale(2);
    soon(() ->
        assertThat(condition(name, "Accepted").getObservedGeneration())
            .isEqualTo(room().job(name).getMetadata().getGeneration()));
    assertThat(condition(name, "Accepted").getReason())
        .as("the templates are the same")
        .isEqualTo("UnknownFields");
    soon(() -> assertThat(room().eventReasons(name)).contains("TemplateRefused", "UnknownFields"));
  }

  @Test
  void aPlanForNoJobIsToldSo() {
    room()
        .client
        .resource(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ScalePlan
            metadata: {name: astray, namespace: %s, labels: {scale-type: manual}}
            spec: {ownerJob: nowhere, replicaResourceSpecs: {worker: {replicas: 2}}}
            """
                .formatted(room().namespace))
        .create();

    soon(() ->
        assertThat(
                Objects.requireNonNull(
                        room()
                            .client
                            .resources(ScalePlan.class)
                            .inNamespace(room().namespace)
                            .withName("astray")
                            .get())
                    .getStatus())
            .satisfies(status -> {
              assertThat(status.phase()).isEqualTo("Pending");
              assertThat(status.reason()).startsWith("there is no ElasticJob 'nowhere'");
            }));
  }

  @Test
  void podsThatKnowASecretWhichSomebodyDeletedAreReplaced() {
    ElasticJobResource job = create("secretive", "");
    room().plan(job, List.of("secretive-worker-0"), List.of(), JobStatePhase.Running);
    soon(() ->
        assertThat(room().pods("secretive"))
            .containsExactly("secretive-master-0", "secretive-worker-0"));
    Instant made =
        room().podsOf("secretive").stream()
            .map(pod -> Instant.parse(pod.getMetadata().getCreationTimestamp()))
            .max(Comparator.naturalOrder())
            .orElseThrow();
    await().until(() -> Instant.now().isAfter(made.plusSeconds(2))); // It counts by seconds.

    room().client.secrets().inNamespace(room().namespace).withName("secretive-pliant").delete();

    soon(() -> assertThat(room().pods("secretive")).containsExactly("secretive-master-1"));
    assertThat(room().objects("secretive")).contains("Secret secretive-pliant");
    soon(() -> assertThat(room().eventReasons("secretive")).contains("SecretReplaced"));
  }

  @Test
  void saysWhyAPodIsRefusedAndTriesAgain() {
    room()
        .client
        .resource(
            new io.fabric8.kubernetes.api.model.ResourceQuotaBuilder()
                .withNewMetadata()
                .withName("few")
                .withNamespace(room().namespace)
                .endMetadata()
                .withNewSpec()
                .addToHard("count/pods", io.fabric8.kubernetes.api.model.Quantity.parse("0"))
                .endSpec()
                .build())
        .create();
    try {
      soon(() ->
          assertThat(
                  Objects.requireNonNull(
                          room()
                              .client
                              .resourceQuotas()
                              .inNamespace(room().namespace)
                              .withName("few")
                              .get()
                              .getStatus())
                      .getHard())
              .isNotEmpty());
      create("poor", "");
      soon(() -> assertThat(condition("poor", "PodsReady").getReason()).isEqualTo("PodRefused"));
      assertThat(condition("poor", "PodsReady").getMessage()).contains("exceeded quota");
      assertThat(status("poor").masterStarts()).isZero();
    } finally {
      room().client.resourceQuotas().inNamespace(room().namespace).withName("few").delete();
    }
    soon(() -> assertThat(room().pods("poor")).containsExactly("poor-master-0"));
  }

  /// An object that nobody owns, without a label and with the job's own: the one is met when the
  /// job's is made, the other is in a cache.
  @Test
  void saysWhatIsInTheWayAndGoesOnWhenItIsGone() {
    room().client.resource(secret("crowded-pliant", Map.of())).create();
    create("crowded", "");
    soon(() -> {
      assertThat(condition("crowded", "NamesFree").getReason()).isEqualTo("NameTaken");
      assertThat(status("crowded").message())
          .contains("Secret 'crowded-pliant'", "delete secret crowded-pliant");
    });
    soon(() -> assertThat(room().eventReasons("crowded")).contains("NameTaken"));
    assertThat(room().podNames("crowded")).isEmpty();

    room()
        .client
        .resource(
            secret(
                "labelled-pliant",
                Map.of("pliant.dev/job", "labelled", "app.kubernetes.io/managed-by", "pliant")))
        .create();
    create("labelled", "");
    soon(() ->
        assertThat(condition("labelled", "NamesFree").getMessage())
            .contains("Secret 'labelled-pliant' (it belongs to nobody)"));
    assertThat(room().podNames("labelled")).isEmpty();

    for (String job : List.of("crowded", "labelled")) {
      room().client.secrets().inNamespace(room().namespace).withName(job + "-pliant").delete();
      soon(() -> assertThat(room().pods(job)).containsExactly(job + "-master-0"));
      soon(() -> assertThat(condition(job, "NamesFree").getStatus()).isEqualTo("True"));
    }
  }

  private static Secret secret(String name, Map<String, String> labels) {
    return new SecretBuilder()
        .withNewMetadata()
        .withName(name)
        .withNamespace(room().namespace)
        .withLabels(labels)
        .endMetadata()
        .build();
  }

  @Test
  void answersForItsHealth() throws Exception {
    try (HttpClient http = HttpClient.newHttpClient()) {
      for (String path : List.of("/healthz", "/readyz")) {
        HttpResponse<String> answer =
            http.send(
                HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + room().healthPort() + path))
                    .build(),
                HttpResponse.BodyHandlers.ofString());
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo("ok\n");
      }
    }
  }

  /// Manifests that others wrote, beside the tree, apply as they stand but for their namespace.
  @Test
  void takesTheManifestsOfOthers() throws IOException {
    Path shared = Path.of("..", "..", "shared").toAbsolutePath().normalize();
    assumeTrue(
        Files.isDirectory(shared.resolve("manifests")),
        "needs the manifests of others, beside the tree");
    List<ElasticJobResource> jobs = new ArrayList<>();
    for (String yaml : manifests(shared)) {
      HasMetadata object = object(yaml);
      object.getMetadata().setNamespace(room().namespace);
      if (object instanceof ElasticJobResource job) {
        jobs.add(job);
      }
      room().client.resource(object).create();
    }
    assertThat(jobs).hasSizeGreaterThan(3);

    for (ElasticJobResource job : jobs) {
      String name = job.getMetadata().getName();
      soon(() -> assertThat(room().pods(name)).containsExactly(name + "-master-0"));
      soon(() -> assertThat(condition(name, "Accepted").getStatus()).isEqualTo("True"));
      isAsItsManifestSays(room().job(name));
    }
    assertThat(variables(pod("torch-mnist", "torch-mnist-worker-3")))
        .as("which its command line names")
        .containsEntry("NODE_NUM", "4");
  }

  private static void isAsItsManifestSays(ElasticJobResource job) {
    String name = job.getMetadata().getName();
    Map<Role, ReplicaSpec> roles = JobFile.of(job).spec().replicaSpecs();
    List<String> nodes = new ArrayList<>();
    for (Role role : List.of(Role.PARAMETER_SERVER, Role.WORKER)) {
      ReplicaSpec spec = roles.get(role);
      int count = spec == null ? 0 : Objects.requireNonNullElse(spec.replicas(), 1);
      for (int i = 0; i < count; i++) {
        nodes.add("%s-%s-%d".formatted(name, role.label(), i));
      }
    }
    room().plan(job, nodes, List.of(), JobStatePhase.Running);

    soon(() -> assertThat(room().pods(name)).containsAll(nodes));
    for (String node : nodes) {
      Pod pod = pod(name, node);
      String role = Objects.requireNonNull(pod.getMetadata().getLabels().get("pliant.dev/role"));
      assertThat(pod.getMetadata().getLabels())
          .containsEntry("elasticjob-name", name)
          .containsEntry("elasticjob.dlrover/name", name)
          .containsEntry("elasticjob.dlrover/replica-type", role);
      assertThat(node).contains("-" + role + "-");
      assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Never");
      Container given =
          Objects.requireNonNull(roles.get(Role.of(role).orElseThrow())).template().main();
      var main = pod.getSpec().getContainers().getFirst();
      assertThat(main.getImage()).isEqualTo(given.image());
      assertThat(texts(main.getResources().getLimits())).isEqualTo(given.resources().limits());
      assertThat(texts(main.getResources().getRequests())).isEqualTo(given.resources().requests());
      assertThat(variables(pod)).containsKey("NODE_NUM");
    }
    soon(() ->
        assertThat(status(name).strategy())
            .isEqualTo(
                roles.containsKey(Role.PARAMETER_SERVER)
                    ? "ParameterServerStrategy"
                    : "AllreduceStrategy"));
    assertThat(pod(name, name + "-master-0").getSpec().getContainers().getFirst())
        .satisfies(master -> {
          assertThat(master.getImage())
              .as("ours, whatever others have")
              .isEqualTo("pliant.local/pause:1");
          assertThat(texts(master.getResources().getRequests()))
              .as("where the manifest says nothing")
              .isEqualTo(Map.of("cpu", "100m", "memory", "256Mi"));
        });
  }

  private static Map<String, String> texts(@Nullable Map<String, Quantity> amounts) {
    return amounts == null
        ? Map.of()
        : amounts.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, one -> one.getValue().toString()));
  }

  private static Map<String, String> variables(Pod pod) {
    return pod.getSpec().getContainers().getFirst().getEnv().stream()
        .filter(variable -> variable.getValue() != null)
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  private static Pod pod(String job, String name) {
    return room().podsOf(job).stream()
        .filter(pod -> pod.getMetadata().getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  /// Read as kubectl reads it: `False` is no text.
  private static HasMetadata object(String yaml) throws IOException {
    JsonNode read = new YAMLMapper().readTree(yaml);
    return "ElasticJob".equals(read.path("kind").asText())
        ? Serialization.unmarshal(read.toString(), ElasticJobResource.class)
        : Serialization.unmarshal(read.toString());
  }

  private static Set<String> manifests(Path shared) throws IOException {
    Set<String> manifests = new java.util.LinkedHashSet<>();
    for (Path file : files(shared.resolve("manifests"))) {
      if (file.toString().endsWith(".yaml")) {
        manifests.add(Files.readString(file));
      }
    }
    for (Path seed : files(shared.resolve("seeds"))) {
      Matcher yaml = YAML.matcher(Files.readString(seed));
      while (yaml.find()) {
        if (yaml.group(1).contains("\"ElasticJob\"")) {
          manifests.add(yaml.group(1));
        }
      }
    }
    return manifests;
  }

  private static List<Path> files(Path folder) throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.sorted().toList();
    }
  }
}
