package dev.pliant.cli;

import static dev.pliant.cli.FakeCluster.found;
import static dev.pliant.cli.FakeCluster.list;
import static dev.pliant.cli.FakeCluster.pods;
import static dev.pliant.cli.FakeCluster.refused;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import dev.pliant.cli.FakeCluster.Answer;
import dev.pliant.cli.FakeCluster.Call;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;

/// The commands against a cluster that refuses, lacks or loses something: each says what it is, and
/// loses nothing of the user's.
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
final class ClusterTroubleIT {
  private static final String VERSION = "elastic.iml.github.io/v1alpha1";

  private static final String FILE =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: digits}
      spec:
        ttl: 60
        replicaSpecs:
          worker:
            replicas: 2
            template: {spec: {containers: [{name: main, image: i, command: [x]}]}}
      """;

  private static final String SPEC =
      """
      "ttl": 60, "replicaSpecs": {"worker": {"replicas": 2, %s "template":
        {"spec": {"containers": [{"name": "main", "image": "i", "command": ["x"]}]}}}}
      """;

  @TempDir Path folder;
  private FakeCluster cluster;

  @BeforeEach
  void start() throws IOException {
    cluster = new FakeCluster(folder);
    cluster.on(
        "GET",
        "/apis/" + VERSION,
        found(
            """
            {"kind": "APIResourceList", "apiVersion": "v1", "groupVersion": "elastic.iml.github.io/v1alpha1",
             "resources": [{"name": "elasticjobs", "singularName": "elasticjob", "namespaced": true,
               "kind": "ElasticJob", "verbs": ["create", "get"]}]}
            """));
    cluster.on("GET", "/elasticjobs", list("ElasticJobList", VERSION));
    cluster.on("GET", "/pods", pods());
    cluster.on("GET", "/events", list("EventList", "v1"));
    cluster.on("GET", "/scaleplans", list("ScalePlanList", VERSION));
    cluster.on("GET", "/jobresources", list("JobResourceList", "elastic.easydl.org/v1alpha1"));
    cluster.on("POST", "/pods", ClusterTroubleIT::made);
    cluster.on("POST", "/elasticjobs", ClusterTroubleIT::made);
    cluster.on("GET", "/elasticjobs/digits", found(job("Running", "", "\"ready\": \"2/2\"")));
  }

  @AfterEach
  void stop() {
    cluster.close();
  }

  private static Answer made(Call call) {
    return new Answer(201, call.body());
  }

  private static String job(String phase, String bounds, String status) {
    return """
    {"apiVersion": "%s", "kind": "ElasticJob",
     "metadata": {"name": "digits", "namespace": "team", "uid": "u",
       "creationTimestamp": "2026-01-01T00:00:00Z"},
     "spec": {%s}, "status": {"phase": "%s", %s}}
    """
        .formatted(VERSION, SPEC.formatted(bounds), phase, status);
  }

  private static String pod(int number, String state) {
    return """
    {"apiVersion": "v1", "kind": "Pod",
     "metadata": {"name": "digits-worker-%1$d", "namespace": "team", "uid": "p-%1$d",
       "creationTimestamp": "2026-01-01T00:00:00Z",
       "labels": {"pliant.dev/job": "digits", "pliant.dev/role": "worker", "pliant.dev/node": "worker-%1$d"}},
     "spec": {"containers": [{"name": "main", "image": "i"}]},
     "status": {"phase": "Pending", "containerStatuses": [{"name": "main", "restartCount": 0, "state": %2$s}]}}
    """
        .formatted(number, state);
  }

  private static String onMachine(String pod, String machine) {
    return pod.replace("\"spec\": {", "\"spec\": {\"nodeName\": \"" + machine + "\", ");
  }

  private static String running(int number) {
    return pod(number, "{\"running\": {\"startedAt\": \"2026-01-01T00:00:00Z\"}}");
  }

  /// The first answer to the first call, and so on; the last to all that follow.
  private static Function<Call, Answer> oneAfterTheOther(Answer... answers) {
    Iterator<Answer> next = List.of(answers).iterator();
    return _ -> {
      synchronized (next) {
        return next.hasNext() ? next.next() : answers[answers.length - 1];
      }
    };
  }

  private String file(String yaml) throws IOException {
    return Files.writeString(Files.createTempFile(folder, "job", ".yaml"), yaml).toString();
  }

  @Test
  void theOldJobStaysWhereTheClusterRefusesTheNewOne() throws Exception {
    cluster.on("POST", "/elasticjobs", refused(403, "a policy of the cluster says no"));

    Called called = cluster.pliant("submit", file(FILE), "--replace");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .contains("a policy of the cluster says no.")
        .contains("The job that is there stays as it is.");
    assertThat(cluster.calls("DELETE")).isEmpty();
    assertThat(cluster.calls("POST").getLast().query()).contains("dryRun=All");
    assertThat(cluster.calls("POST").getLast().body()).contains("\"generateName\":\"digits-\"");
  }

  @Test
  void saysThatTheNewJobWasNotMadeWhereTheOldOneIsGone() throws Exception {
    cluster.on(
        "GET",
        "/elasticjobs/digits",
        oneAfterTheOther(
            found(job("Running", "", "\"ready\": \"2/2\"")), refused(404, "it is gone")));
    cluster.on(
        "DELETE", "/elasticjobs/digits", found("{\"kind\": \"Status\", \"apiVersion\": \"v1\"}"));
    cluster.on(
        "POST",
        "/elasticjobs",
        call -> call.query().contains("dryRun") ? made(call) : refused(500, "the disk is full"));

    String file = file(FILE);
    Called called = cluster.pliant("submit", file, "--replace");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .contains("the disk is full")
        .contains("The new job was NOT made; ")
        .contains(
            "'pliant submit %s --name digits --kubeconfig %s' makes it."
                .formatted(file, cluster.kubeconfig()));
  }

  @Test
  void goesOnWithAJobAsItsFileSaysNow() throws Exception {
    cluster.on("PATCH", "/elasticjobs/digits", found(job("Pending", "", "\"ready\": \"0/2\"")));

    Called changed =
        cluster.pliant("submit", file(FILE.replace("image: i", "image: j")), "--resume");
    assertThat(changed.exitCode()).isZero();
    assertThat(changed.err())
        .contains("differed from the job in spec.replicaSpecs.worker.template.spec.containers;");
    assertThat(cluster.calls("PATCH").getLast().body())
        .contains("\"image\":\"j\"")
        .contains("\"suspend\":false");

    Called same = cluster.pliant("submit", file(FILE), "--resume");
    assertThat(same.err()).isEmpty();
    assertThat(cluster.calls("PATCH").getLast().body()).isEqualTo("{\"spec\":{\"suspend\":false}}");

    cluster.on("PATCH", "/elasticjobs/digits", refused(422, "scaler stays as it is"));
    Called refused =
        cluster.pliant("submit", file(FILE.replace("ttl: 60", "scaler: PodScaler")), "--resume");
    assertThat(refused.exitCode()).isEqualTo(2);
    assertThat(refused.err())
        .contains("the cluster refuses it: scaler stays as it is. The job stays as it is; ")
        .contains("--replace");
  }

  @Test
  void aWebhookThatKnowsNoDryRunKeepsNobodyFromSubmitting() throws Exception {
    cluster.on("GET", "/elasticjobs/digits", refused(404, "it is not found"));
    cluster.on("POST", "/pods", refused(400, "admission webhook \"w\" does not support dry run"));

    Called called = cluster.pliant("submit", file(FILE));

    assertThat(called.exitCode()).isZero();
    assertThat(called.err())
        .contains(
            "note: the pod template of role 'worker' is not checked before: admission webhook");
    assertThat(called.out()).contains("job team/digits is submitted");
  }

  @Test
  void aFileMayBeAPipe() throws Exception {
    cluster.on("GET", "/elasticjobs/digits", refused(404, "it is not found"));
    Path pipe = folder.resolve("pipe");
    assertThat(new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor()).isZero();
    Thread writer =
        Thread.ofPlatform()
            .daemon()
            .start(() -> {
              try {
                Files.writeString(pipe, FILE);
              } catch (IOException e) {
                throw new IllegalStateException(e);
              }
            });

    assertThat(cluster.pliant("submit", pipe.toString()).exitCode()).isZero();
    writer.join();
  }

  @Test
  void saysHowToMakeANamespaceThatIsMissing() throws Exception {
    cluster.on("GET", "/elasticjobs/digits", refused(404, "it is not found"));
    cluster.on(
        "POST",
        "/pods",
        new Answer(
            404,
            """
            {"kind": "Status", "apiVersion": "v1", "code": 404, "message": "namespaces \\"team\\" not found",
             "details": {"name": "team", "kind": "namespaces"}}
            """));

    assertThat(cluster.pliant("submit", file(FILE)).err())
        .contains(
            "namespaces \"team\" not found. Make it with 'kubectl create namespace team', or");
  }

  @Test
  void followsAJobThroughABlipOfItsCluster() throws Exception {
    Answer before = refused(404, "it is not found");
    Answer runs = found(job("Running", "", "\"ready\": \"2/2\""));
    cluster.on(
        "GET",
        "/elasticjobs/digits",
        oneAfterTheOther(before, runs, runs, found(job("Succeeded", "", "\"ready\": \"0/2\""))));
    cluster.on("GET", "/pods", refused(503, "the API server starts"));

    Called called = cluster.pliant("submit", file(FILE), "--follow");

    assertThat(called.err()).doesNotContain("the API server starts");
    assertThat(called.out()).contains("Succeeded");
    assertThat(called.exitCode()).isZero();
  }

  @Test
  void scalesWithinTheJobsBoundsAndAnswersByWhatHoldsThen() {
    String scale =
        """
        {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "digits"}, "spec": {"replicas": 2}}
        """;
    cluster.on("GET", "/digits/scale", found(scale));
    cluster.on("PUT", "/digits/scale", ClusterTroubleIT::made);
    cluster.on("PATCH", "/digits/scale", ClusterTroubleIT::made);
    String bounds = "\"minReplicas\": 2, \"maxReplicas\": 4,";
    cluster.on("GET", "/elasticjobs/digits", found(job("Running", bounds, "\"ready\": \"2/2\"")));
    assertThat(cluster.pliant("scale", "digits", "--workers", "9").out())
        .isEqualTo("9 workers were asked for, and 4 are the most this job may have: it gets 4.\n");

    String before = job("Running", "", "\"ready\": \"2/2\"");
    String after = before.replace("\"replicas\": 2", "\"replicas\": 100");
    cluster.on("GET", "/elasticjobs/digits", oneAfterTheOther(found(before), found(after)));
    assertThat(cluster.pliant("scale", "digits", "--workers", "100").out())
        .isEqualTo("wished: 100 workers, of 1 to 100.\n");

    cluster.on("GET", "/elasticjobs/digits", found(job("Running", "", "\"ready\": \"5/5\"")));
    cluster.on(
        "POST",
        "/scaleplans",
        call ->
            new Answer(
                201,
                call.body()
                    .replace(
                        "\"generateName\":\"digits-scale-\"", "\"name\":\"digits-scale-x1\"")));
    assertThat(cluster.pliant("scale", "digits", "--workers", "2").out())
        .startsWith("wished: 2 workers, of 1 to 60.")
        .contains("ScalePlan digits-scale-x1 tells it.");
    assertThat(cluster.calls("POST").getLast().body())
        .contains("\"scale-type\":\"manual\"", "\"ownerJob\":\"digits\"", "\"replicas\":2");
  }

  @Test
  void whoMayNotSeePodsIsToldSoByLogs() {
    cluster.on("GET", "/pods", refused(403, "pods is forbidden: User \"ann\" cannot list"));

    Called called = cluster.pliant("logs", "digits");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err()).contains("you may not list the pods of job team/digits");
  }

  @Test
  void whoMayNotReadLogsIsToldSoByFollowing() {
    cluster.on("GET", "/pods", pods(running(0)));
    cluster.on("GET", "/log", refused(403, "pods/log is forbidden: User \"ann\" cannot get"));

    for (String follow : List.of("--tail=1", "-f")) {
      Called called = cluster.pliant("logs", "digits", follow);
      assertThat(called.exitCode()).isEqualTo(1);
      assertThat(called.err()).contains("you may not read the log of pod digits-worker-0");
    }
  }

  @Test
  void whoMayNotSeeEventsSeesTheRestOfAJob() {
    cluster.on("GET", "/events", refused(403, "events is forbidden: User \"ann\" cannot list"));

    Called called = cluster.pliant("describe", "digits");

    assertThat(called.exitCode()).isZero();
    assertThat(called.out()).contains("digits");
    assertThat(called.err())
        .startsWith("note: what happened last is left out: you may not read the events");
  }

  @Test
  void saysWhyThereAreNoLogsAndShowsThoseThatThereAre() {
    cluster.on(
        "GET",
        "/pods",
        pods(running(0), pod(1, "{\"waiting\": {\"reason\": \"ErrImagePull\"}}"), running(2)));
    cluster.on("GET", "/digits-worker-0/log", refused(404, "pods \"digits-worker-0\" not found"));
    cluster.on("GET", "/digits-worker-2/log", new Answer(200, "2026-01-01T00:00:00Z a line\n"));

    Called called = cluster.pliant("logs", "digits");

    assertThat(called.exitCode()).isZero();
    assertThat(called.out()).isEqualTo("[worker-2] a line\n");
    assertThat(called.err())
        .contains("note: the pod digits-worker-0 is gone, and its log with it.")
        .contains(
            "worker-1 has printed nothing yet: its pod digits-worker-1 is Pending, ErrImagePull.");

    cluster.on("GET", "/pods", pods());
    assertThat(cluster.pliant("logs", "digits").err())
        .contains("note: job team/digits has no pods of workers now; 'pliant describe digits ");
  }

  @Test
  void doesNotWaitForANodeThatWillNeverBe() {
    Called called = cluster.pliant("logs", "digits", "-f", "--worker", "typo");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err()).contains("job team/digits has no pod of 'typo'");
  }

  @Test
  void deletesTheOthersWhereOneCannotBe() {
    cluster.on("GET", "/elasticjobs/gone", refused(404, "it is not found"));
    cluster.on(
        "DELETE", "/elasticjobs/digits", found("{\"kind\": \"Status\", \"apiVersion\": \"v1\"}"));
    cluster.on(
        "GET",
        "/elasticjobs/digits",
        oneAfterTheOther(
            found(job("Running", "", "\"ready\": \"2/2\"")), refused(404, "it is gone")));

    Called called = cluster.pliant("delete", "gone", "digits");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .contains("there is no job team/gone")
        .contains("'pliant get jobs -A --kubeconfig ");
    assertThat(called.out()).contains("job team/digits is deleted");
  }

  private static String withCheckpoints(String metadata) {
    return job("Running", "", "\"ready\": \"2/2\"")
        .replace("\"ttl\": 60,", "\"checkpoint\": {\"claim\": \"c\"},")
        .replace("\"uid\": \"u\",", "\"uid\": \"u\", " + metadata);
  }

  @Test
  void hasTheOperatorDeleteCheckpointsWithTheJob() {
    String finalizer = "\"finalizers\": [\"pliant.dev/cleanup\"],";
    String asked =
        withCheckpoints(
            finalizer + "\"annotations\": {\"pliant.dev/delete-checkpoints\": \"true\"},");
    cluster.on("PATCH", "/elasticjobs/digits", found(asked));
    cluster.on(
        "DELETE", "/elasticjobs/digits", found("{\"kind\": \"Status\", \"apiVersion\": \"v1\"}"));
    cluster.on(
        "GET",
        "/elasticjobs/digits",
        _ ->
            !cluster.calls("DELETE").isEmpty()
                ? refused(404, "it is gone")
                : found(cluster.calls("PATCH").isEmpty() ? withCheckpoints(finalizer) : asked));

    Called called = cluster.pliant("delete", "digits", "--checkpoints", "-o", "json");

    assertThat(called.exitCode()).as(called::err).isZero();
    assertThat(called.out())
        .contains("Deleted the checkpoints on claim 'c' in folder team/digits/u.")
        .contains(
            "\"checkpoints\":{\"deleted\":true,\"claim\":\"c\",\"folder\":\"team/digits/u\"}");
    assertThat(cluster.calls("PATCH"))
        .extracting(Call::body)
        .containsExactly(
            "{\"metadata\":{\"annotations\":{\"pliant.dev/delete-checkpoints\":\"true\"}}}");
    assertThat(cluster.calls("DELETE")).hasSize(1);
  }

  @Test
  void deletesNothingWhereNobodyWouldDeleteTheCheckpoints() {
    cluster.on("GET", "/elasticjobs/digits", found(withCheckpoints("")));

    Called called = cluster.pliant("delete", "digits", "--checkpoints");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err()).contains("Pliant's operator has not seen job team/digits");
    assertThat(cluster.calls("DELETE")).isEmpty();
  }

  @Test
  void namesTheKubeconfigWhoseCertificateIsBroken() throws Exception {
    String config = Files.readString(cluster.kubeconfig());
    Path broken =
        Files.writeString(
            folder.resolve("broken"),
            config
                .replace("http:", "https:")
                .replace(
                    "{token: t}",
                    "{client-certificate-data: bm90aGluZw==, client-key-data: bm90aGluZw==}"));

    Called called = Called.with("get", "--kubeconfig", broken.toString());

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .startsWith(
            "pliant: the kubeconfig %s cannot be used: a certificate or key".formatted(broken));
  }

  @Test
  void sendsOfAFileWhatKubectlWould() throws Exception {
    cluster.on("GET", "/elasticjobs/digits", refused(404, "it is not found"));
    String file =
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits, labels: {a: "1"}}
        spec:
          suspend: no
          ttl: 1_000
          storage: ~
          resourceLimits: {cpu: 1.5, memory: 8Gi}
          replicaSpecs:
            worker:
              autoScale: True
              priority: 0.5
              replicas: 0x2
              template:
                spec:
                  volumes: [{name: s, secret: {secretName: s, defaultMode: 0400, optional: yes}}]
                  containers: [{name: main, image: i, command: [x], resources: {limits: {cpu: 0.5}}}]
        """;

    assertThat(cluster.pliant("submit", file(file)).exitCode()).isZero();

    JsonNode sent = submitted();
    assertThat(sent.at("/metadata/labels/a").textValue()).isEqualTo("1");
    assertThat(sent.get("spec"))
        .isEqualTo(
            new ObjectMapper()
                .readTree(
                    """
                    {"suspend": false, "ttl": 1000, "storage": null,
                     "resourceLimits": {"cpu": "1.5", "memory": "8Gi"},
                     "replicaSpecs": {"worker": {
                       "autoScale": true, "priority": "0.5", "replicas": 2,
                       "template": {"spec": {
                         "volumes": [{"name": "s", "secret": {"secretName": "s", "defaultMode": 256, "optional": true}}],
                         "containers": [{"name": "main", "image": "i", "command": ["x"],
                           "resources": {"limits": {"cpu": 0.5}}}]}}}}}
                    """));
  }

  /// They are not part of this project, but of a folder `shared` beside its tree.
  @Test
  void submitsManifestsThatOthersWrote() throws Exception {
    Path manifests = Path.of("..", "..", "shared", "manifests").toAbsolutePath().normalize();
    assumeThat(manifests).as("manifests of others, beside the tree").isDirectory();
    List<Path> files;
    try (Stream<Path> all = Files.list(manifests)) {
      files = all.filter(file -> file.toString().endsWith("-job.yaml")).sorted().toList();
    }
    assertThat(files).isNotEmpty();
    for (Path file : files) {
      Called called = cluster.pliant("submit", file.toString());

      assertThat(called.exitCode()).as(called::err).isZero();
      JsonNode read = new ObjectMapper(new YAMLFactory()).readTree(Files.readString(file));
      assertThat(submitted().get("spec")).as(file.toString()).isEqualTo(read.get("spec"));
      assertThat(submitted().findValues("autoScale")).allMatch(JsonNode::isBoolean);
    }
  }

  /// The job that was made last.
  private JsonNode submitted() throws IOException {
    return new ObjectMapper().readTree(cluster.calls("POST").getLast().body());
  }

  @Test
  void saysThatTheNewJobWasNotMadeWhereTheClusterIsLostMeanwhile() throws Exception {
    cluster.on(
        "GET",
        "/elasticjobs/digits",
        oneAfterTheOther(
            found(job("Running", "", "\"ready\": \"2/2\"")), refused(500, "etcd is away")));
    cluster.on("DELETE", "/elasticjobs/digits", refused(500, "etcd is away"));

    String file = file(FILE);
    Called called = cluster.pliant("submit", file, "--replace");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .contains("etcd is away")
        .contains("The new job was NOT made, and whether the old one is still there cannot be seen")
        .contains("'pliant submit %s --name digits --replace --kubeconfig ".formatted(file));
  }

  @Test
  void doesNotCallAJobDeletedThatItsTtlMayHaveTaken() throws Exception {
    Answer none = refused(404, "it is not found");
    cluster.on(
        "GET",
        "/elasticjobs/digits",
        oneAfterTheOther(none, found(job("Running", "", "\"ready\": \"2/2\"")), none));

    Called called = cluster.pliant("submit", file(FILE), "--follow");

    assertThat(called.exitCode()).isEqualTo(1);
    assertThat(called.err())
        .contains("job team/digits is gone: it was deleted, or it had ended and its 'spec.ttl' was")
        .contains("how it ended is not known");
  }

  @Test
  void aDeadMachineKeepsNobodyFromTheOthersLogs() {
    cluster.on("GET", "/pods", pods(onMachine(running(0), "m-7"), running(1)));
    cluster.on("GET", "/digits-worker-0/log", refused(500, "dial tcp: no route to host"));
    cluster.on("GET", "/digits-worker-1/log", new Answer(200, "2026-01-01T00:00:00Z a line\n"));

    Called called = cluster.pliant("logs", "digits");

    assertThat(called.out()).isEqualTo("[worker-1] a line\n");
    assertThat(called.err())
        .isEqualTo(
            """
            note: the log of pod digits-worker-0 on machine m-7 cannot be read: dial tcp: no route to host.
            pliant: not all logs could be read; one is missing, in part or as a whole: digits-worker-0.
            """);
    assertThat(called.exitCode()).isEqualTo(1);
  }

  @Test
  void aLongLineOfALogIsOneLine() {
    String line = "a long € line, ".repeat(20_000);
    cluster.on("GET", "/pods", pods(running(0), running(1)));
    cluster.on("GET", "/digits-worker-0/log", new Answer(200, "2026-01-01T00:00:00Z " + line));
    cluster.on("GET", "/digits-worker-1/log", new Answer(200, "2026-01-01T00:00:00Z a line\n"));

    Called called = cluster.pliant("logs", "digits");

    assertThat(called.out()).isEqualTo("[worker-0] " + line + "\n[worker-1] a line\n");
    assertThat(called.exitCode()).isZero();
  }

  @Test
  void endsQuietlyWhereNobodyReadsWhatItFollows() throws Exception {
    cluster.on("GET", "/pods", pods(running(0)));
    cluster.on("GET", "/log", new Answer(200, "2026-01-01T00:00:00Z a line\n"));
    cluster.on(
        "GET",
        "/events",
        list(
            "EventList",
            "v1",
            """
            {"metadata": {"name": "e", "namespace": "team", "uid": "e"}, "reason": "Began", "message": "it began",
             "lastTimestamp": "2026-01-02T00:00:00Z",
             "involvedObject": {"kind": "ElasticJob", "name": "digits", "namespace": "team"}}
            """));
    for (String verb : List.of("logs", "events")) {
      Called called =
          Called.toNobody(verb, "digits", "-f", "--kubeconfig", cluster.kubeconfig().toString());
      assertThat(called).as(verb).isEqualTo(new Called(141, "", ""));
    }
    Answer runs = found(job("Running", "", "\"ready\": \"2/2\""));
    cluster.on(
        "GET", "/elasticjobs/digits", oneAfterTheOther(refused(404, "it is not found"), runs));
    Called followed =
        Called.toNobody(
            "submit", file(FILE), "--follow", "--kubeconfig", cluster.kubeconfig().toString());
    assertThat(followed.exitCode()).isEqualTo(141);
    assertThat(followed.err()).doesNotContain("pliant:");
  }

  @Test
  void tellsWhereAJournalLiesAndTheWholeCommandThatCountsIt() {
    String job = job("Running", "", "\"ready\": \"2/2\"");
    cluster.on(
        "GET",
        "/elasticjobs/digits",
        found(job.replace("\"ttl\": 60,", "\"storage\": {\"claim\": \"c\", \"path\": \"logs\"},")));

    assertThat(cluster.pliant("verify", "digits").err())
        .contains("lies on the claim 'c'; mount that, at /mnt for instance, and call ")
        .contains("'pliant verify team/digits --folder /mnt/logs/team/digits/u/job'.");
  }
}
