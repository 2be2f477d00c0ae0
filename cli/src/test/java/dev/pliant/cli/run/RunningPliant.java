package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.cli.Main;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/// A `pliant` process of a test, with a state folder of its own.
final class RunningPliant implements AutoCloseable {
  static final Duration BOUND = Duration.ofSeconds(120);

  /// The folder that has `python/`: where the build runs, one level up.
  private static final Path ROOT = Path.of("").toAbsolutePath().resolveSibling("");

  private static final Pattern WORK = Pattern.compile("  [1-9][\\d,]*/[\\d,]+ records");
  private static final Pattern PID = Pattern.compile("\"pid\":(\\d+)");

  private final Path state;
  private final Path out;
  private final Path err;
  private final Process process;
  private final boolean runs;
  private final Set<ProcessHandle> seen = new LinkedHashSet<>();

  private RunningPliant(Path state, Path out, Path err, Process process, boolean runs) {
    this.state = state;
    this.out = out;
    this.err = err;
    this.process = process;
    this.runs = runs;
  }

  static RunningPliant start(Path folder, String... arguments) throws IOException {
    Path state = folder.resolve("state");
    Path out = Files.createTempFile(folder, "out", ".txt");
    Path err = Files.createTempFile(folder, "err", ".txt");
    ProcessBuilder builder =
        new ProcessBuilder(command(arguments))
            .redirectOutput(out.toFile())
            .redirectError(err.toFile());
    builder.environment().put("XDG_STATE_HOME", state.toString());
    return new RunningPliant(state, out, err, builder.start(), arguments[0].equals("run"));
  }

  /// How a process of it is started.
  static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>();
    if (System.getProperty("os.name").equals("Linux")) {
      // A shell has what it starts in the background ignore it, and so all that comes of that.
      command.addAll(List.of("env", "--default-signal=INT"));
    }
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"));
    command.addAll(
        List.of("--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"));
    command.addAll(List.of("-Dpliant.home=" + ROOT, "-Dpliant.terminal=false"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName()));
    command.addAll(List.of(arguments));
    return command;
  }

  /// Writes a job file that counts `records` in shards of 10, `delayMs` each, with two workers.
  static Path countJob(Path folder, int records, int delayMs) throws IOException {
    Path script = ROOT.resolve("examples/count/count.py");
    assertThat(script).isRegularFile();
    return job(
        folder,
        List.of("python3", script.toString()),
        Map.of(
            "COUNT_RECORDS", Integer.toString(records),
            "COUNT_SHARD_SIZE", "10",
            "COUNT_DELAY_MS", Integer.toString(delayMs)));
  }

  /// Writes a job file that takes `records` in shards of 10, slowly until there is a file `hurry`:
  /// so it lasts as long as what is tried on it, and ends soon after.
  static Path pacedJob(Path folder, int records, Path hurry) throws IOException {
    Path script =
        Files.writeString(
            folder.resolve("paced.py"),
            """
            import os, time
            import pliant
            job = pliant.init()
            taken = 0
            for _ in job.dataset("paced", size=%d, shard_size=10).shards():
                taken += 1
                if not os.path.exists("%s"):
                    time.sleep(0.2)
            print(f"worker {job.worker}: {taken} shards", flush=True)
            """
                .formatted(records, hurry));
    return job(folder, List.of("python3", script.toString()), Map.of());
  }

  static Path job(Path folder, List<String> command, Map<String, String> environment)
      throws IOException {
    StringBuilder yaml =
        new StringBuilder(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: count}
            spec:
              replicaSpecs:
                worker:
                  replicas: 2
                  template:
                    spec:
                      containers:
                        - name: main
                          command:
            """);
    command.forEach(part -> yaml.append("                - '" + part + "'\n"));
    yaml.append("              env:\n");
    environment.forEach((name, value) ->
        yaml.append("                - {name: %s, value: '%s'}%n".formatted(name, value)));
    return Files.writeString(folder.resolve("job.yaml"), yaml.toString());
  }

  Path jobFolder() {
    return state.resolve("pliant/jobs/default/count");
  }

  ProcessHandle supervisor() {
    return process.toHandle();
  }

  /// Waits until the workers have done something and all are there: master, two agents and two
  /// workers, of which one may be late. Takes note of the processes that then run.
  void awaitWork() {
    await()
        .atMost(BOUND)
        .until(() -> {
          assertThat(process.isAlive()).as(this::said).isTrue();
          process.descendants().forEach(seen::add);
          long alive = seen.stream().filter(ProcessHandle::isAlive).count();
          return WORK.matcher(out()).find() && alive >= 5;
        });
  }

  ProcessHandle master() throws IOException {
    Matcher pid = PID.matcher(Files.readString(jobFolder().resolve("master.json")));
    assertThat(pid.find()).isTrue();
    return ProcessHandle.of(Long.parseLong(pid.group(1))).orElseThrow();
  }

  /// One of the training processes.
  ProcessHandle worker() throws IOException {
    return LocalNodes.of(jobFolder()).alive().stream()
        .flatMap(ProcessHandle::descendants)
        .filter(handle -> handle.info().command().orElse("").contains("python"))
        .findFirst()
        .orElseThrow();
  }

  /// The agent of one of the nodes.
  ProcessHandle agent() throws IOException {
    return LocalNodes.of(jobFolder()).alive().getFirst();
  }

  /// Waits until it has said something, and takes note of the processes that then run.
  void awaitSaid(String text) {
    await()
        .atMost(BOUND)
        .until(() -> {
          assertThat(process.isAlive()).as(this::said).isTrue();
          return out().contains(text);
        });
    process.descendants().forEach(seen::add);
  }

  void signal(String name) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    assertThat(kill.waitFor()).isZero();
  }

  int awaitExit() throws InterruptedException {
    assertThat(process.waitFor(BOUND.toMillis(), TimeUnit.MILLISECONDS)).as(this::said).isTrue();
    return process.exitValue();
  }

  /// Fails unless everything that was seen ends by itself.
  void awaitNothingLeft() {
    await().atMost(BOUND).until(() -> alive(seen.stream()).isEmpty());
  }

  private static List<String> alive(Stream<ProcessHandle> handles) {
    return handles
        .filter(ProcessHandle::isAlive)
        .map(handle -> handle.info().commandLine().orElse("?"))
        .toList();
  }

  String out() throws IOException {
    return Files.readString(out);
  }

  String err() throws IOException {
    return Files.readString(err);
  }

  String said() {
    try {
      return "it said:\n" + out() + err();
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Override
  public void close() {
    process.descendants().forEach(seen::add);
    process.destroyForcibly();
    seen.forEach(ProcessHandle::destroyForcibly);
    if (runs) {
      endNodes();
    }
  }

  private void endNodes() {
    try {
      LocalNodes.of(jobFolder()).end(Duration.ZERO);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
