package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.model.JobId;
import dev.pliant.rpc.MasterLocation;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A training on real pods has a bad day, of everything that a cluster does to pods, and comes out
/// with every record trained once.
@Timeout(value = 45, unit = TimeUnit.MINUTES) // On a machine that has to fetch PyTorch first.
class DigitsOnPodsIT {
  private static final Duration BOUND = Duration.ofMinutes(3);
  private static final Duration WHOLE = Duration.ofMinutes(15);
  private static final Duration AWAY = Duration.ofSeconds(20);
  private static final String NAMESPACE = "digits-" + ProcessHandle.current().pid();
  private static final Pattern REACHED = Pattern.compile("accuracy ([01]\\.\\d+)");

  /// Of 24 steps each: 17 minutes at its pace, for what takes three on an idle machine.
  private static final int EPOCHS = 60;

  @TempDir Path folder;

  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: digits, namespace: %s}
      spec:
        distributionStrategy: AllreduceStrategy
        storage: {claim: state}
        checkpoint: {claim: state, path: checkpoints, every: 50}
        envs: {DIGITS_EPOCHS: "%d", PACE: "0.7", TOLD: /told, PYTHONPATH: /told}
        replicaSpecs:
          worker:
            replicas: 1
            minReplicas: 1
            maxReplicas: 3
            template:
              spec:
                containers:
                  - name: main
                    image: pliant.local/host:1
                    command: [/usr/bin/python3, train.py]
                    workingDir: /example
                    resources:
                      requests: {cpu: 100m, memory: 256Mi}
                      limits: {memory: 768Mi}
                    volumeMounts:
                      - {name: usr, mountPath: /usr, readOnly: true}
                      - {name: example, mountPath: /example, readOnly: true}
                      - {name: told, mountPath: /told, readOnly: true}
                volumes:
                  - {name: usr, persistentVolumeClaim: {claimName: usr}}
                  - {name: example, persistentVolumeClaim: {claimName: example}}
                  - {name: told, persistentVolumeClaim: {claimName: told}}
      """;

  @AfterEach
  void tidyUp() {
    RealCluster.ready().remove(NAMESPACE);
  }

  @Test
  void trainsEveryRecordOnceWhateverHappens() throws Exception {
    Needs.that(Pythons.debianWithTorch().isPresent(), "Debian's python3-torch");
    RealCluster cluster = RealCluster.ready();
    ClusterJob job = new ClusterJob(cluster, NAMESPACE, "digits");
    PacedDigits digits = prepare(cluster);
    long began = System.nanoTime();

    apply(cluster, JOB.formatted(NAMESPACE, EPOCHS));
    job.awaitWorld(1, BOUND);
    say(began, "one worker trains");

    kubectlScale(cluster, 3);
    job.awaitWorld(3, BOUND);
    say(began, "three do");

    deletePods(cluster, "pliant-system", "app.kubernetes.io/component=operator");
    say(began, "the operator's pod is deleted");

    Pod deleted = job.running("worker").getLast();
    cluster.client().resource(deleted).delete();
    awaitReplaced(job, deleted);
    say(began, "a worker's pod was deleted and replaced");

    Pod starving = job.running("worker").getLast();
    digits.exhaust(name(starving));
    job.await("the end of " + name(starving), BOUND, () -> wasOutOfMemory(job, name(starving)));
    awaitReplaced(job, starving);
    assertThat(memoryLimits(job)).as("memory of the one that came for it").contains("1536Mi");
    say(began, "a worker was out of memory and came back with more");

    long before = job.recordsDone(BOUND);
    MasterLocation master = job.masterLocation().orElseThrow();
    cluster.without(
        "apiserver",
        () -> {
          pause(AWAY);
          job.awaitProgressOf(master, BOUND);
        });
    job.awaitRecords(before, BOUND);
    say(began, "the API server was away, and the training went on");

    Pod killed = job.running("worker").getLast();
    killContainer(killed);
    awaitReplaced(job, killed);
    say(began, "a worker's container was killed");

    List<String> workers = names(job);
    String first = name(job.running("master").getFirst());
    cluster.client().pods().inNamespace(NAMESPACE).withName(first).delete();
    job.await(
        "the next master",
        BOUND,
        () -> job.running("master").stream().anyMatch(pod -> !name(pod).equals(first)));
    job.awaitWorld(3, BOUND);
    assertThat(names(job)).as("workers, which do not mind").isEqualTo(workers);
    say(began, "the master's pod was deleted, and the next one goes on");

    kubectlScale(cluster, 2);
    job.awaitWorld(2, BOUND);
    say(began, "two train");
    assertThat(job.objects())
        .as("what its end is to take away")
        .contains("secret/digits-pliant", "service/digits-master")
        .anyMatch(
            object -> object.startsWith("pod/digits-master-") && !object.equals("pod/" + first))
        .anyMatch(object -> object.startsWith("scaleplan."))
        .anyMatch(object -> object.startsWith("networkpolicy."));

    digits.hurry();
    job.await("the end", WHOLE, () -> job.isIn(JobStatePhase.Succeeded));
    say(began, "the training is over");
    verify();
    assertThat(checkpoints()).as("finished checkpoints on the claim").isNotEmpty();
    assertThat(accuracy(job)).isGreaterThanOrEqualTo(0.95);

    cluster.kubectl("-n", NAMESPACE, "delete", "elasticjob", "digits").orThrow("delete");
    say(began, "it is deleted");
    // Kubernetes' collector takes its time after the API server was away.
    Commands.Result unused =
        job.await(
            "no trace",
            WHOLE,
            job::listObjects,
            listed -> listed.exit() == 0 && listed.output().isBlank());
    say(began, "nothing of it is left");
    trainsAgainOnTheSameClaim(cluster, job);
    say(began, "another job of its name has trained on the same claim");
  }

  /// The deleted job's journal is gone and its checkpoints are there; the next job uses neither.
  private void trainsAgainOnTheSameClaim(RealCluster cluster, ClusterJob job) throws IOException {
    assertThat(journals()).as("journals of the deleted job").isEmpty();
    List<Path> left = checkpoints();
    assertThat(left).as("checkpoints of the deleted job").isNotEmpty();

    apply(cluster, JOB.formatted(NAMESPACE, 2));
    job.await("the end of the next job", WHOLE, () -> job.isIn(JobStatePhase.Succeeded));

    verify();
    assertThat(checkpoints()).containsAll(left).hasSizeGreaterThan(left.size());
    assertThat(job.pods("worker").stream().map(pod -> log(job, pod)))
        .anyMatch(log -> log.contains("An earlier run left"));
  }

  private PacedDigits prepare(RealCluster cluster) throws IOException {
    cluster.testImage("host");
    cluster.restrictedNamespace(NAMESPACE);
    PacedDigits digits = PacedDigits.in(folder.resolve("told"));
    Path state = Files.createDirectory(folder.resolve("state"));
    // Pods are nobody in particular.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxrwxrwx"));
    cluster.claim(NAMESPACE, "usr", Path.of("/usr"));
    cluster.claim(NAMESPACE, "example", Commands.root().resolve("examples/digits"));
    cluster.claim(NAMESPACE, "told", digits.folder());
    cluster.claim(NAMESPACE, "state", state);
    return digits;
  }

  private void apply(RealCluster cluster, String yaml) throws IOException {
    Path file = Files.writeString(folder.resolve("job.yaml"), yaml);
    cluster.kubectl("apply", "-f", file.toString()).orThrow("kubectl apply");
  }

  private static void kubectlScale(RealCluster cluster, int replicas) {
    cluster
        .kubectl("-n", NAMESPACE, "scale", "elasticjob/digits", "--replicas=" + replicas)
        .orThrow("kubectl scale");
  }

  private static void deletePods(RealCluster cluster, String namespace, String label) {
    cluster
        .kubectl("-n", namespace, "delete", "pod", "-l", label, "--wait=false")
        .orThrow("kubectl delete");
  }

  private static List<String> names(ClusterJob job) {
    return job.running("worker").stream().map(DigitsOnPodsIT::name).toList();
  }

  private static String name(Pod pod) {
    return pod.getMetadata().getName();
  }

  /// Three train again, without the one that is gone: its pod may look alive for a moment yet, and
  /// its world, which had three members too, for another.
  private static void awaitReplaced(ClusterJob job, Pod gone) {
    String place = "another in the place of " + name(gone);
    job.await(place, BOUND, () -> isThreeWithout(name(gone), names(job)));
    job.await(place + " in the world", BOUND, () -> isThreeWithout(name(gone), job.world()));
    job.awaitProgress(BOUND);
  }

  private static boolean isThreeWithout(String gone, List<String> workers) {
    return workers.size() == 3 && !workers.contains(gone);
  }

  private static boolean wasOutOfMemory(ClusterJob job, String podName) {
    return job.pods("worker").stream()
        .filter(pod -> name(pod).equals(podName))
        .flatMap(pod -> pod.getStatus().getContainerStatuses().stream())
        .map(ContainerStatus::getState)
        .anyMatch(state ->
            state.getTerminated() != null && "OOMKilled".equals(state.getTerminated().getReason()));
  }

  private static List<String> memoryLimits(ClusterJob job) {
    return job.running("worker").stream()
        .map(pod -> pod.getSpec().getContainers().getFirst().getResources().getLimits())
        .map(limits -> String.valueOf(limits.get("memory")))
        .toList();
  }

  /// Kills the first process of a pod's container, from outside: it is this machine's as well.
  private static void killContainer(Pod pod) {
    String node = pod.getMetadata().getLabels().get("pliant.dev/node");
    List<ProcessHandle> agents =
        ProcessHandle.allProcesses()
            .filter(process -> {
              String line = process.info().commandLine().orElse("");
              return line.contains(NAMESPACE + "/digits") && line.contains("--node " + node + " ");
            })
            .toList();
    assertThat(agents).as("agents of " + node).isNotEmpty();
    agents.forEach(agent -> TrainingRun.signal(agent, "KILL"));
  }

  private List<Path> journals() throws IOException {
    try (Stream<Path> journals =
        Files.find(
            folder.resolve("state"),
            6,
            (path, attributes) -> attributes.isDirectory() && path.endsWith("journal"))) {
      return journals.toList();
    }
  }

  private void verify() {
    try {
      Path jobFolder = Objects.requireNonNull(journals().getFirst().getParent());
      Path home = Files.createDirectories(folder.resolve("home/pliant/jobs").resolve(NAMESPACE));
      Files.deleteIfExists(home.resolve("digits"));
      Files.createSymbolicLink(home.resolve("digits"), jobFolder);
      Commands.Result said =
          Commands.run(
              FreshTree.built().path(),
              Map.of("XDG_STATE_HOME", folder.resolve("home").toString()),
              BOUND,
              "./pliant",
              "verify",
              NAMESPACE + "/digits");
      assertThat(said.exit()).as(said.output()).isZero();
      assertThat(said.output()).contains("every record of every epoch was completed exactly once");
      Replays.assertNoDifference(new JobId(NAMESPACE, "digits"), jobFolder);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Each is renamed to its name once it is whole.
  private List<Path> checkpoints() throws IOException {
    try (Stream<Path> manifests =
        Files.find(
            folder.resolve("state/checkpoints"),
            6,
            (path, _) -> path.toString().matches(".*/checkpoint-\\d+/manifest\\.json"))) {
      return manifests.toList();
    }
  }

  private static double accuracy(ClusterJob job) {
    double reached = 0;
    for (Pod pod : job.pods("worker")) {
      Matcher said = REACHED.matcher(log(job, pod));
      while (said.find()) {
        reached = Double.parseDouble(said.group(1));
      }
    }
    return reached;
  }

  /// Nothing, of a pod that has gone since it was listed.
  private static String log(ClusterJob job, Pod pod) {
    try {
      return job.cluster().client().pods().resource(pod).inContainer("main").getLog();
    } catch (KubernetesClientException e) {
      if (e.getCode() != 404) {
        throw e;
      }
      return "";
    }
  }

  private static void say(long began, String what) {
    long seconds = (System.nanoTime() - began) / 1_000_000_000;
    System.out.println("DigitsOnPodsIT: %3d s: %s".formatted(seconds, what));
  }

  /// The absence itself is what is tested.
  private static void pause(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
