package dev.pliant.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.pliant.protocol.v1.JobServiceGrpc;
import dev.pliant.protocol.v1.PingRequest;
import io.grpc.ManagedChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A training by `pliant run`, as a user starts it, in a state folder of its own.
final class PliantJob implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final Duration COMMAND = Duration.ofSeconds(30);

  private final Bench bench;
  private final Path folder;
  private final Child run;

  private PliantJob(Bench bench, Path folder, Child run) {
    this.bench = bench;
    this.folder = folder;
    this.run = run;
  }

  /// Starts the training with so many workers.
  static PliantJob start(Bench bench, int workers, int most) throws IOException {
    Path folder = bench.folder("job");
    Path script = bench.root().resolve("benchmarks/training/elastic.py");
    Files.createDirectories(folder.resolve("trace"));
    Path file = folder.resolve("job.yaml");
    Files.writeString(file, jobFile(bench, folder, script, workers, most));
    Child run =
        Child.start(
            "pliant run",
            List.of(pliant(bench), "run", file.toString()),
            environment(folder),
            folder.resolve("run.log"));
    return new PliantJob(bench, folder, run);
  }

  private static String jobFile(Bench bench, Path folder, Path script, int workers, int most) {
    return """
    apiVersion: elastic.iml.github.io/v1alpha1
    kind: ElasticJob
    metadata:
      name: bench
    spec:
      distributionStrategy: AllreduceStrategy
      replicaSpecs:
        worker:
          replicas: %d
          minReplicas: 1
          maxReplicas: %d
          template:
            spec:
              containers:
                - name: main
                  command: ["%s", "%s"]
                  env:
                    - name: TRACE
                      value: "%s"
                    - name: OMP_NUM_THREADS
                      value: "1"
    """
        .formatted(workers, most, bench.torchPython(), script, folder.resolve("trace"));
  }

  private static String pliant(Bench bench) {
    return bench.root().resolve("pliant").toString();
  }

  private static Map<String, String> environment(Path folder) {
    return Map.of("XDG_STATE_HOME", folder.resolve("state").toString());
  }

  TrainingTrace trace() {
    return new TrainingTrace(folder.resolve("trace"));
  }

  Child run() {
    return run;
  }

  private Path jobFolder() {
    return folder.resolve("state/pliant/jobs/default/bench");
  }

  /// Wishes another number of workers, as a user does.
  void scale(int workers) throws IOException, InterruptedException {
    Process scale = pliantCommand("scale", "bench", "--workers", Integer.toString(workers));
    if (!scale.waitFor(COMMAND.toSeconds(), TimeUnit.SECONDS) || scale.exitValue() != 0) {
      scale.destroyForcibly();
      throw new IOException("`pliant scale` failed; see " + folder.resolve("commands.log"));
    }
  }

  private Process pliantCommand(String... arguments) throws IOException {
    var command = new ArrayList<>(List.of(pliant(bench)));
    command.addAll(List.of(arguments));
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment(folder));
    return builder
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.appendTo(folder.resolve("commands.log").toFile()))
        .start();
  }

  /// The agent of a node, with its training processes below it.
  ProcessHandle agent(String node) throws IOException {
    long pid =
        JSON.readTree(jobFolder().resolve("nodes/" + node + ".json").toFile()).get("pid").asLong();
    return ProcessHandle.of(pid).orElseThrow(() -> new IOException("no agent of " + node));
  }

  /// What the master says of itself: its process, its epoch and where it is.
  JsonNode master() throws IOException {
    return JSON.readTree(jobFolder().resolve("master.json").toFile());
  }

  /// Asks the master that serves now for an answer.
  void ping() throws IOException {
    ManagedChannel channel =
        PliantMaster.channel(jobFolder(), master().get("address").asText(), true);
    try {
      var _ =
          JobServiceGrpc.newBlockingStub(channel)
              .withWaitForReady()
              .withDeadlineAfter(COMMAND.toSeconds(), TimeUnit.SECONDS)
              .ping(PingRequest.getDefaultInstance());
    } finally {
      channel.shutdownNow();
    }
  }

  @Override
  public void close() {
    run.close();
  }
}
