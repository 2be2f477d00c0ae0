package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.JobStatePhase;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;

/// Jobs on real pods that have Python alone, in a namespace of their own, with their journals on a
/// claim. They work slowly until they are told to hurry: each lasts as long as what is tried on it.
final class PacedJobs implements AutoCloseable {
  static final Duration BOUND = Duration.ofMinutes(2);

  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: %s, namespace: %s}
      spec:
        distributionStrategy: Local
        scaler: %s
        storage: {claim: state}
        replicaSpecs:
          worker:
            replicas: %d
            minReplicas: 1
            maxReplicas: 4
            template:
              spec:
                containers:
                  - name: main
                    image: pliant.local/python:1
                    command: [python3, /paced/paced.py]
                    resources:
                      requests: {cpu: 100m, memory: 64Mi}
                      limits: {memory: 320Mi}
                    volumeMounts:
                      - {name: paced, mountPath: /paced, readOnly: true}
                volumes:
                  - {name: paced, persistentVolumeClaim: {claimName: paced}}
      """;

  private final RealCluster cluster;
  private final String namespace;
  private final Path folder;
  private final long began = System.nanoTime();

  private PacedJobs(RealCluster cluster, String namespace, Path folder) {
    this.cluster = cluster;
    this.namespace = namespace;
    this.folder = folder;
  }

  /// @param about what the namespace's name begins with
  /// @param folder of this machine, empty
  static PacedJobs in(RealCluster cluster, String about, Path folder) throws IOException {
    cluster.testImage("python");
    PacedJobs jobs =
        new PacedJobs(cluster, about + "-" + Long.toString(System.nanoTime(), 36), folder);
    cluster.restrictedNamespace(jobs.namespace);
    // Pods are nobody in particular.
    Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
    Path paced = Files.createDirectory(folder.resolve("paced"));
    Path state = Files.createDirectory(folder.resolve("state"));
    Files.setPosixFilePermissions(state, PosixFilePermissions.fromString("rwxrwxrwx"));
    try (InputStream script =
        Objects.requireNonNull(PacedJobs.class.getResourceAsStream("/paced/paced.py"))) {
      Files.copy(script, paced.resolve("paced.py"));
    }
    cluster.claim(jobs.namespace, "paced", paced);
    cluster.claim(jobs.namespace, "state", state);
    return jobs;
  }

  String namespace() {
    return namespace;
  }

  /// Starts a job and waits until its workers work.
  ClusterJob start(String name, String scaler, int workers) {
    return start(name, scaler, workers, this::apply);
  }

  /// The same with a job file that somebody else submits.
  ClusterJob start(String name, String scaler, int workers, Consumer<String> submit) {
    submit.accept(JOB.formatted(name, namespace, scaler, workers));
    ClusterJob job = new ClusterJob(cluster, namespace, name);
    job.awaitWorkers(workers, BOUND);
    say("%d workers of %s work".formatted(workers, name));
    return job;
  }

  void apply(String yaml) {
    tryToApply(yaml).orThrow("kubectl apply");
  }

  Commands.Result tryToApply(String yaml) {
    try {
      Path file = Files.writeString(Files.createTempFile(folder, "object", ".yaml"), yaml);
      return cluster.kubectl("-n", namespace, "apply", "-f", file.toString());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// Lets a job come to its end, and counts its records.
  void finish(ClusterJob job) {
    try {
      Files.createFile(folder.resolve("paced").resolve(job.name() + ".hurry"));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    job.await("the end", BOUND, () -> job.isIn(JobStatePhase.Succeeded));
    say(job.name() + " is over");
    Commands.Result said =
        Commands.run(
            Commands.root(),
            Map.of(),
            BOUND,
            Commands.java(
                    "dev.pliant.cli.Main",
                    "verify",
                    namespace + "/" + job.name(),
                    "--folder",
                    jobFolder(job).toString())
                .command()
                .toArray(String[]::new));
    assertThat(said.exit()).as(said.output()).isZero();
    assertThat(said.output()).contains("every record of every epoch was completed exactly once");
  }

  private Path jobFolder(ClusterJob job) {
    try (Stream<Path> journals =
        Files.find(
            folder.resolve("state").resolve(namespace).resolve(job.name()),
            4,
            (path, attributes) -> attributes.isDirectory() && path.endsWith("journal"))) {
      return Objects.requireNonNull(journals.findFirst().orElseThrow().getParent());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /// What a test that takes a minute is about.
  void say(String what) {
    System.out.printf(
        "%s: %3d s: %s%n", namespace, (System.nanoTime() - began) / 1_000_000_000, what);
  }

  @Override
  public void close() {
    cluster.remove(namespace);
  }
}
