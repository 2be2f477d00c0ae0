package dev.pliant.e2e;

import com.google.protobuf.TextFormat;
import dev.pliant.agent.json.JsonReader;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;

/// A `pliant run` as a user starts it, in a state folder of its own, with its processes in reach of
/// whoever wants to disturb it.
final class TrainingRun implements AutoCloseable {
  private static final Duration COMMAND = Duration.ofMinutes(1);
  private static final Duration STOP = Duration.ofMinutes(2);

  private final Path state;
  private final String name;
  private final Process process;
  private final Path output;

  private TrainingRun(Path state, String name, Process process, Path output) {
    this.state = state;
    this.name = name;
    this.process = process;
    this.output = output;
  }

  /// @param state an empty folder
  /// @param name the job's name
  static TrainingRun start(
      Path state, String name, Map<String, String> environment, String... arguments)
      throws IOException {
    List<String> command = new ArrayList<>(List.of("./pliant", "run", "--name", name));
    command.addAll(List.of(arguments));
    Path output = state.resolve(name + ".out");
    ProcessBuilder builder =
        new ProcessBuilder(command)
            .directory(FreshTree.built().path().toFile())
            .redirectErrorStream(true)
            .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
            .redirectOutput(output.toFile());
    builder.environment().put("XDG_STATE_HOME", state.toString());
    builder.environment().putAll(environment);
    return new TrainingRun(state, name, builder.start(), output);
  }

  /// Another command of the command line, on the same jobs.
  Commands.Result pliant(String... arguments) {
    List<String> command = new ArrayList<>(List.of("./pliant"));
    command.addAll(List.of(arguments));
    return Commands.run(
        FreshTree.built().path(),
        Map.of("XDG_STATE_HOME", state.toString()),
        COMMAND,
        command.toArray(String[]::new));
  }

  void scale(int workers) {
    pliant("scale", name, "--workers", Integer.toString(workers)).orThrow("pliant scale");
  }

  Path folder() {
    return state.resolve("pliant/jobs/default").resolve(name);
  }

  boolean isAlive() {
    return process.isAlive();
  }

  String output() throws IOException {
    return Files.readString(output);
  }

  /// The job as its master has it; nothing while there is none that answers.
  Optional<GetJobResponse> job() {
    try (MasterConnection master = new MasterConnection(new MasterLocation.MasterFile(folder()))) {
      return Optional.of(
          master.jobs(Duration.ofSeconds(5)).getJob(GetJobRequest.getDefaultInstance()));
    } catch (StatusRuntimeException | PliantException _) {
      return Optional.empty();
    }
  }

  /// Records that are done, over all datasets; nothing while no master answers.
  OptionalLong recordsDone() {
    return job().stream()
        .mapToLong(job ->
            job.getDatasetsList().stream().mapToLong(dataset -> dataset.getRecordsDone()).sum())
        .findFirst();
  }

  /// Waits until that many more records are done, or for the end. Training that had to go back, to
  /// a checkpoint or to its beginning because nobody was left who had its state, counts from there.
  ///
  /// @param before how many were done
  /// @param after what it is said to stand still after, where it does
  void awaitProgress(long before, int more, Duration bound, String after) throws IOException {
    AtomicLong lowest = new AtomicLong(before);
    try {
      Awaitility.await("%,d records more than %,d".formatted(more, before))
          .atMost(bound)
          .pollInterval(Duration.ofMillis(100))
          .until(() -> {
            OptionalLong done = recordsDone();
            done.ifPresent(now -> lowest.accumulateAndGet(now, Math::min));
            return !isAlive() || (done.isPresent() && done.getAsLong() >= lowest.get() + more);
          });
    } catch (ConditionTimeoutException _) {
      throw new AssertionError(
          "no %,d records more than %,d in %d s after %s; the job: %s%n%s"
              .formatted(more, lowest.get(), bound.toSeconds(), after, describe(), tail()));
    }
  }

  /// How its master sees it, in a line.
  private String describe() {
    return job()
        .map(job -> TextFormat.printer().emittingSingleLine(true).printToString(job))
        .orElse("no master answers");
  }

  ProcessHandle master() throws IOException {
    return process(folder().resolve("master.json")).orElseThrow();
  }

  /// The agents that live, the oldest first.
  List<ProcessHandle> agents() throws IOException {
    Path nodes = folder().resolve("nodes");
    if (!Files.isDirectory(nodes)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(nodes)) {
      List<ProcessHandle> agents = new ArrayList<>();
      for (Path file :
          files
              .filter(f -> f.toString().matches(".*-\\d+\\.json"))
              .sorted(Comparator.comparingInt(TrainingRun::number))
              .toList()) {
        process(file).ifPresent(agents::add);
      }
      return agents;
    }
  }

  private static int number(Path file) {
    String[] parts = file.getFileName().toString().replace(".json", "").split("-");
    return Integer.parseInt(parts[parts.length - 1]);
  }

  private static Optional<ProcessHandle> process(Path file) throws IOException {
    try {
      return ProcessHandle.of(JsonReader.read(Files.readAllBytes(file)).number("pid", 0))
          .filter(ProcessHandle::isAlive);
    } catch (java.nio.file.NoSuchFileException _) {
      return Optional.empty();
    }
  }

  /// Waits for the end.
  int awaitExit(Duration bound) throws IOException, InterruptedException {
    if (!process.waitFor(bound.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new AssertionError(
          "the run of %s did not end in %d s:%n%s".formatted(name, bound.toSeconds(), tail()));
    }
    return process.exitValue();
  }

  /// The end of what the run has printed.
  String tail() throws IOException {
    String text = output();
    return text.substring(Math.max(0, text.length() - 8_000));
  }

  /// Sends a signal by name, as a user's `kill` does.
  static void signal(ProcessHandle process, String signal) {
    Commands.Result unused =
        Commands.run(
            Path.of("/"), Map.of(), COMMAND, "kill", "-" + signal, Long.toString(process.pid()));
  }

  @Override
  public void close() throws IOException, InterruptedException {
    process.destroy();
    if (!process.waitFor(STOP.toMillis(), TimeUnit.MILLISECONDS)) {
      process.descendants().forEach(ProcessHandle::destroyForcibly);
      process.destroyForcibly();
    }
    for (ProcessHandle agent : agents()) {
      agent.descendants().forEach(ProcessHandle::destroyForcibly);
      agent.destroyForcibly();
    }
  }
}
