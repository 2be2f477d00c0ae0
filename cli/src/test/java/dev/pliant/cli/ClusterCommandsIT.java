package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.crds.CustomResourceDefinitions;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.JobId;
import dev.pliant.model.NodeId;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.authentication.TokenRequest;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import io.fabric8.kubernetes.client.dsl.base.CustomResourceDefinitionContext;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// The commands against the real cluster that KUBECONFIG names. No operator takes part: the job
/// says that its master makes the pods, and the test makes them in its place.
final class ClusterCommandsIT {
  private static final Duration BOUND = Duration.ofSeconds(120);
  private static final String NAMESPACE =
      "pliant-cli-" + UUID.randomUUID().toString().substring(0, 8);
  private static final String IMAGE = "pliant.local/busybox:1";

  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: NAME}
      spec:
        scaler: PodScaler
        replicaSpecs:
          worker:
            replicas: 2
            minReplicas: 1
            maxReplicas: 4
            template:
              spec:
                containers:
                  - name: main
                    image: pliant.local/busybox:1
                    command: [sh, -c, "true"]
      """;

  @TempDir Path folder;

  private static KubernetesClient client;

  @BeforeAll
  static void findTheCluster() {
    Needs.clusterOfThisMachine();
    client = new KubernetesClientBuilder().build();
    boolean operated =
        !client
            .pods()
            .inAnyNamespace()
            .withLabel(JobNames.NAME_LABEL, JobNames.PLIANT)
            .withLabel("app.kubernetes.io/component", "operator")
            .list()
            .getItems()
            .isEmpty();
    Needs.that(!operated, "a cluster without an operator, which would act on its jobs");
    CustomResourceDefinitions.all().forEach(ClusterCommandsIT::define);
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
    // Until it is there, a namespace takes no pods, not even as if.
    await("the namespace's first account")
        .atMost(BOUND)
        .until(() ->
            client.serviceAccounts().inNamespace(NAMESPACE).withName("default").get() != null);
  }

  private static void define(CustomResourceDefinition definition) {
    client.resource(definition).forceConflicts().serverSideApply();
    var kind = CustomResourceDefinitionContext.fromCrd(definition);
    await("an API server that serves what was defined")
        .atMost(BOUND)
        .ignoreExceptions()
        .until(() -> client.genericKubernetesResources(kind).inNamespace("default").list() != null);
  }

  @AfterAll
  static void leaveNothing() {
    if (client != null) {
      client.namespaces().withName(NAMESPACE).delete();
      client.close();
    }
  }

  private static Called cluster(String... arguments) {
    return Called.with(
        Stream.concat(
                Stream.of(arguments), Stream.of("--on", "kubernetes", "--namespace", NAMESPACE))
            .toArray(String[]::new));
  }

  private Path file(String name, String yaml) throws IOException {
    return Files.writeString(
        Files.createTempFile(folder, "job", ".yaml"), yaml.replace("NAME", name));
  }

  private static Resource<ElasticJobResource> job(String name) {
    return client.resources(ElasticJobResource.class).inNamespace(NAMESPACE).withName(name);
  }

  private static void say(String name, String status) {
    var unused =
        job(name)
            .subresource("status")
            .patch(PatchContext.of(PatchType.JSON_MERGE), "{\"status\":%s}".formatted(status));
  }

  /// A pod that prints three lines, one a second.
  private static Pod makePod(String name, int number) {
    JobNames names = new JobNames(new JobId(NAMESPACE, name));
    NodeId node = new NodeId("worker", number);
    return client
        .resource(
            new PodBuilder()
                .withNewMetadata()
                .withName(names.pod(node))
                .withNamespace(NAMESPACE)
                .withLabels(names.nodeLabels(node, number))
                .withOwnerReferences(JobNames.owner(job(name).get()))
                .endMetadata()
                .withNewSpec()
                .withRestartPolicy("Never")
                .addNewContainer()
                .withName("main")
                .withImage(IMAGE)
                .withCommand(
                    "sh",
                    "-c",
                    "for i in 1 2 3; do echo line $i of %d; sleep 1; done".formatted(number))
                .endContainer()
                .endSpec()
                .build())
        .create();
  }

  @Test
  void aJobIsSubmittedFollowedScaledAndDeleted() throws Exception {
    Path file = file("count", JOB);
    Called submitted = cluster("submit", file.toString());
    assertThat(submitted.err()).contains("note: the journal lies in the master's pod");
    assertThat(submitted.out()).contains("job %s/count is submitted to".formatted(NAMESPACE));
    assertThat(submitted.exitCode()).isZero();

    Called again = cluster("submit", file.toString());
    assertThat(again.err()).contains("is there already (Pending)").contains("--replace");
    assertThat(again.exitCode()).isEqualTo(1);

    say("count", "{\"phase\":\"Running\",\"ready\":\"1/2\",\"readyReplicas\":1}");
    Pod unused = makePod("count", 0);
    CompletableFuture<Called> followed =
        CompletableFuture.supplyAsync(() -> cluster("logs", "count", "-f"));
    await()
        .atMost(BOUND)
        .until(() -> cluster("logs", "count").out().contains("[worker-0] line 1 of 0\n"));
    Pod unusedNext = makePod("count", 1); // One that comes later is shown as well.
    await()
        .atMost(BOUND)
        .until(
            () -> cluster("logs", "count", "--worker", "worker-1").out().contains("line 3 of 1"));
    assertThat(cluster("get", "jobs", "count", "-o", "json").out())
        .contains("\"job\":\"%s/count\",\"state\":\"running\"".formatted(NAMESPACE))
        .contains("\"workers\":{\"live\":1,\"wish\":2,\"min\":1,\"max\":4}");
    assertThat(cluster("get").out()).containsPattern("\ncount +Running +1/2 ");
    // A kubelet's events come after what they are about.
    await()
        .atMost(BOUND)
        .untilAsserted(() ->
            assertThat(cluster("describe", "count").out())
                .contains("count-worker-1")
                .containsPattern("worker-1: Started: "));

    assertThat(cluster("scale", "count", "--workers", "3").out())
        .isEqualTo("wished: 3 workers, of 1 to 4.\n");
    assertThat(job("count").scale().getSpec().getReplicas()).isEqualTo(3);

    say("count", "{\"phase\":\"Succeeded\",\"message\":\"all is done\"}");
    Called logs = followed.get(BOUND.toSeconds(), TimeUnit.SECONDS);
    assertThat(logs.exitCode()).isZero();
    for (int number = 0; number < 2; number++) {
      List<String> lines = linesOf(logs.out(), number);
      assertThat(lines)
          .containsExactly("line 1 of " + number, "line 2 of " + number, "line 3 of " + number);
    }
    assertThat(cluster("scale", "count", "--workers", "2").err()).contains("does not run");

    assertThat(cluster("delete", "count").out())
        .isEqualTo(
            "job %s/count is deleted; nothing is left of it in the cluster.%n"
                .formatted(NAMESPACE));
    assertThat(
            client
                .pods()
                .inNamespace(NAMESPACE)
                .withLabel(JobNames.JOB_LABEL, "count")
                .list()
                .getItems())
        .isEmpty();
    assertThat(cluster("describe", "count").err())
        .contains("there is no job %s/count".formatted(NAMESPACE));
  }

  private static List<String> linesOf(String logs, int number) {
    String prefix = "[worker-%d] ".formatted(number);
    return logs.lines()
        .filter(line -> line.startsWith(prefix))
        .map(line -> line.substring(prefix.length()))
        .toList();
  }

  @Test
  void followsAJobToItsEndWithItsExitCode() throws Exception {
    Path file = file("ends", JOB);
    CompletableFuture<Called> followed =
        CompletableFuture.supplyAsync(() -> cluster("submit", file.toString(), "--follow"));
    await().atMost(BOUND).until(() -> job("ends").get() != null);
    say("ends", "{\"phase\":\"Failed\",\"message\":\"it was too hard\"}");

    Called ended = followed.get(BOUND.toSeconds(), TimeUnit.SECONDS);
    assertThat(ended.exitCode()).isEqualTo(1);
    assertThat(ended.out()).contains("Failed: it was too hard, ");
  }

  @Test
  void stopsAndGoesOn() throws Exception {
    Path file = file("stops", JOB);
    assertThat(cluster("submit", file.toString()).exitCode()).isZero();
    CompletableFuture<Called> stopped =
        CompletableFuture.supplyAsync(() -> cluster("stop", "stops"));
    var unused =
        job("stops")
            .waitUntilCondition(
                found -> found != null && Boolean.TRUE.equals(found.getSpec().suspend()),
                BOUND.toSeconds(),
                TimeUnit.SECONDS);
    say("stops", "{\"phase\":\"Suspended\"}");
    assertThat(stopped.get(BOUND.toSeconds(), TimeUnit.SECONDS).out())
        .contains("stops is stopped;");

    assertThat(cluster("submit", file.toString(), "--resume").exitCode()).isZero();
    assertThat(job("stops").get().getSpec().suspend()).isFalse();
  }

  @Test
  void refusesWhatMeansNothingBeforeAnythingIsMade() throws Exception {
    Called noImage = cluster("submit", file("bad", JOB.replaceAll(" +image: .*\n", "")).toString());
    assertThat(noImage.err()).contains("container 'main' of role 'worker' has no 'image'");
    assertThat(noImage.exitCode()).isEqualTo(2);

    Called badLine =
        cluster("submit", file("bad", JOB.replace("replicas: 2", "replcas: 2")).toString());
    assertThat(badLine.err()).containsPattern("job\\d+\\.yaml:8:\\d+: .*'replcas'.*'replicas'");

    Called badTemplate =
        cluster(
            "submit",
            file("bad", JOB.replace("- name: main", "- name: main\n              imagePolicy: x"))
                .toString());
    assertThat(badTemplate.err())
        .contains("the cluster refuses the pod template of role 'worker'")
        .contains("imagePolicy");
    assertThat(badTemplate.exitCode()).isEqualTo(2);

    Called longName = cluster("submit", file("b".repeat(60), JOB).toString());
    assertThat(longName.err()).contains("cannot name a job on a cluster");
    assertThat(job("bad").get()).isNull();
  }

  @Test
  void saysWhatIsMissing() throws Exception {
    Called nobody = Called.with("get", "--kubeconfig", kubeconfig("https://127.0.0.1:1", "x"));
    assertThat(nobody.err())
        .contains("the cluster at https://127.0.0.1:1/")
        .contains("cannot be reached: nobody listens there");

    Called noContext = cluster("get", "--context", "no-such");
    assertThat(noContext.err())
        .contains("there is no context 'no-such' in the kubeconfig; it has ");

    client
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName("stranger")
                .withNamespace(NAMESPACE)
                .endMetadata()
                .build())
        .create();
    String token =
        client
            .serviceAccounts()
            .inNamespace(NAMESPACE)
            .withName("stranger")
            .tokenRequest(new TokenRequest())
            .getStatus()
            .getToken();
    Config config = client.getConfiguration();
    Called forbidden = cluster("get", "--kubeconfig", kubeconfig(config.getMasterUrl(), token));
    assertThat(forbidden.err())
        .contains("you may not list the jobs of namespace " + NAMESPACE)
        .contains("stranger")
        .contains("Ask whoever runs the cluster");
    assertThat(forbidden.exitCode()).isEqualTo(1);
  }

  /// Trusts what the real one trusts.
  private String kubeconfig(String server, String token) throws IOException {
    Config config = new ConfigBuilder(client.getConfiguration()).build();
    return Files.writeString(
            Files.createTempFile(folder, "kubeconfig", ""),
            """
            apiVersion: v1
            kind: Config
            clusters: [{name: c, cluster: {server: "%s", certificate-authority-data: "%s"}}]
            users: [{name: u, user: {token: "%s"}}]
            contexts: [{name: there, context: {cluster: c, user: u}}]
            current-context: there
            """
                .formatted(server, config.getCaCertData(), token))
        .toString();
  }
}
