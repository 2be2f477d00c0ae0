package dev.pliant.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.crds.api.ElasticJobResource;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// A training on real pods of the cluster, whose image is this machine's own files. What it writes
/// down comes to a folder of this machine through a claim.
final class PodTraining implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final String NAME = "bench";
  private static final Duration BOUND = Duration.ofMinutes(3);

  /// Times are in what is written down: how soon that is read makes no difference to them.
  private static final Duration LOOK = Duration.ofMillis(250);

  /// It asks for half a core: one that asks for less is the last to be served while all others are
  /// busy with its start.
  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: %s, namespace: %s}
      spec:
        distributionStrategy: AllreduceStrategy
        storage: {claim: notes, path: job}
        envs: {TRACE: /notes/trace, MOMENTS: /notes/moments, OMP_NUM_THREADS: "1"}
        replicaSpecs:
          worker:
            replicas: 1
            minReplicas: 1
            maxReplicas: 4
            template:
              spec:
                containers:
                  - name: main
                    image: pliant.local/host:1
                    command: [/usr/bin/python3, on_pods.py]
                    workingDir: /training
                    resources:
                      requests: {cpu: 500m, memory: 256Mi}
                      limits: {memory: 768Mi}
                    volumeMounts:
                      - {name: usr, mountPath: /usr, readOnly: true}
                      - {name: training, mountPath: /training, readOnly: true}
                      - {name: notes, mountPath: /notes}
                volumes:
                  - {name: usr, persistentVolumeClaim: {claimName: usr}}
                  - {name: training, persistentVolumeClaim: {claimName: training}}
                  - {name: notes, persistentVolumeClaim: {claimName: notes}}
      """;

  /// When the parts of a worker's start were over, as it wrote them down itself.
  ///
  /// @param agent its container's first process, the agent, was made
  /// @param process its training process was made
  /// @param ready Python, torch and the script have all they need but Pliant
  /// @param waits it waits for a world
  record Moments(double agent, double process, double ready, double waits) {}

  private final ClusterSpace space;
  private final Path notes;
  private final PodTimes times;

  private PodTraining(ClusterSpace space, Path notes) {
    this.space = space;
    this.notes = notes;
    this.times = new PodTimes(space.client(), space.namespace());
  }

  /// Starts it with one worker.
  static PodTraining start(Bench bench, Cluster cluster) throws IOException, InterruptedException {
    cluster.run("test-images", "host");
    Path notes = notes(bench);
    ClusterSpace space = ClusterSpace.make(cluster.client(), "pods-change");
    space.claim("usr", Path.of("/usr"));
    space.claim("training", bench.root().resolve("benchmarks/training"));
    space.claim("notes", notes);
    var training = new PodTraining(space, notes);
    String yaml = JOB.formatted(NAME, space.namespace());
    cluster.client().resource(Serialization.unmarshal(yaml, ElasticJobResource.class)).create();
    return training;
  }

  /// Pods are nobody in particular.
  private static Path notes(Bench bench) throws IOException {
    Path notes = bench.folder("notes");
    Files.setPosixFilePermissions(notes, PosixFilePermissions.fromString("rwxrwxrwx"));
    for (String name : List.of("trace", "moments", "plain")) {
      Path folder = Files.createDirectory(notes.resolve(name));
      Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }
    return notes;
  }

  ClusterSpace space() {
    return space;
  }

  /// Where its pods write things down; they know it as `/notes`.
  Path notes() {
    return notes;
  }

  PodTimes times() {
    return times;
  }

  /// Wishes another number of workers, as a user does who changes the job.
  void scale(int workers) {
    var _ =
        space
            .client()
            .resources(ElasticJobResource.class)
            .inNamespace(space.namespace())
            .withName(NAME)
            .patch(
                PatchContext.of(PatchType.JSON_MERGE),
                "{\"spec\":{\"replicaSpecs\":{\"worker\":{\"replicas\":%d}}}}".formatted(workers));
  }

  /// When so many first completed a step together after a moment.
  double awaitStep(int size, double after) throws IOException, InterruptedException {
    var trace = new TrainingTrace(notes.resolve("trace"));
    long deadline = System.nanoTime() + BOUND.toNanos();
    while (true) {
      for (TrainingTrace.Step step : trace.steps()) {
        if (step.at() > after && step.size() == size) {
          return step.at();
        }
      }
      pause(deadline, "a step of " + size);
    }
  }

  /// What a worker wrote down of its start, once it has trained.
  Moments awaitMoments(String pod) throws IOException, InterruptedException {
    Path file = notes.resolve("moments").resolve(pod + ".json");
    long deadline = System.nanoTime() + BOUND.toNanos();
    while (!Files.exists(file)) {
      pause(deadline, "the first step of " + pod);
    }
    JsonNode node = JSON.readTree(file.toFile());
    return new Moments(
        node.get("agent").asDouble(),
        node.get("process").asDouble(),
        node.get("ready").asDouble(),
        node.get("waits").asDouble());
  }

  /// Waits until no more than so many workers have pods.
  void awaitPods(int most) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + BOUND.toNanos();
    while (workers().size() > most) {
      pause(deadline, "the end of the pods of workers that are gone");
    }
  }

  /// The pods of its workers.
  List<Pod> workers() {
    return space
        .client()
        .pods()
        .inNamespace(space.namespace())
        .withLabel("pliant.dev/role", "worker")
        .list()
        .getItems();
  }

  private static void pause(long deadline, String what) throws IOException, InterruptedException {
    if (System.nanoTime() - deadline > 0) {
      throw new IOException("%s did not come within %d s".formatted(what, BOUND.toSeconds()));
    }
    TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
  }

  /// Ends the job before its folders are taken from under it.
  @Override
  public void close() {
    times.close();
    space
        .client()
        .resources(ElasticJobResource.class)
        .inNamespace(space.namespace())
        .withName(NAME)
        .delete();
    try {
      space
          .client()
          .pods()
          .inNamespace(space.namespace())
          .informOnCondition(List::isEmpty)
          .get(BOUND.toSeconds(), TimeUnit.SECONDS);
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
    } catch (ExecutionException | TimeoutException e) {
      throw new IllegalStateException("pods of %s are left behind".formatted(space.namespace()), e);
    } finally {
      space.close();
    }
  }
}
