package dev.pliant.cli.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/// The agent of this machine as a process, with the workers it starts. They are watched as well:
/// should the agent be killed, they do not outlive it.
final class AgentProcess {
  /// The node's name, by which the workers are called: `worker-0`, `worker-1` and so on.
  static final String NODE = "worker";

  /// An agent gives its workers a grace of their own before it kills them.
  static final Duration STOP_BOUND = Duration.ofSeconds(30);

  private static final Duration KILL_BOUND = Duration.ofSeconds(5);
  private static final int MAX_SOCKET_BYTES = 100;

  private final Process process;
  private final Path ends;
  private final Set<ProcessHandle> descendants = new LinkedHashSet<>();

  private AgentProcess(Process process, Path ends) {
    this.process = process;
    this.ends = ends;
  }

  /// @param printed takes each line that a worker prints, with its name in front
  /// @param ended is run when the agent has ended and all its lines are taken
  static AgentProcess start(
      RunPlan plan, JobFolder folder, Children children, Consumer<String> printed, Runnable ended)
      throws IOException {
    Path ends = folder.path().resolve("ends");
    Files.deleteIfExists(ends);
    Path variables = writeVariables(folder.path(), plan.job().environment());
    List<String> arguments = new ArrayList<>(List.of("agent", "--with-parent"));
    arguments.addAll(List.of("--job-dir", folder.path().toString()));
    arguments.addAll(List.of("--job", plan.job().job().toString()));
    arguments.addAll(List.of("--node", NODE));
    arguments.addAll(List.of("--socket", socket(folder.path()).toString()));
    arguments.addAll(List.of("--workers", Integer.toString(plan.job().workers().wish())));
    arguments.addAll(List.of("--cwd", plan.job().workingFolder()));
    arguments.addAll(List.of("--logs", folder.logs().toString()));
    arguments.addAll(List.of("--env-file", variables.toString()));
    arguments.addAll(List.of("--ends", ends.toString()));
    arguments.add("--");
    arguments.addAll(plan.job().command());
    Process process =
        ChildJvm.start(ChildJvm.Kind.AGENT, arguments, ProcessBuilder.Redirect.PIPE, log(folder));
    children.add(process.toHandle());
    Thread.ofVirtual().name("agent-output").start(() -> follow(process, printed, ended));
    return new AgentProcess(process, ends);
  }

  static Path log(JobFolder folder) {
    return folder.logs().resolve("agent.log");
  }

  private static void follow(Process process, Consumer<String> printed, Runnable ended) {
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8)) {
      String line;
      while ((line = lines.readLine()) != null) {
        printed.accept(line);
      }
      int unused = process.waitFor();
    } catch (IOException | InterruptedException e) {
      // The pipe broke with the process; its exit code tells the rest.
    } finally {
      process.onExit().thenRun(ended);
    }
  }

  /// In a file that nobody else can read: arguments can be seen by every user of the machine.
  private static Path writeVariables(Path folder, Map<String, String> variables)
      throws IOException {
    Path file = folder.resolve("workers.properties");
    Files.deleteIfExists(file);
    Files.createFile(
        file, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Properties properties = new Properties();
    properties.putAll(variables);
    try (OutputStream out = Files.newOutputStream(file)) {
      properties.store(out, null);
    }
    return file;
  }

  /// In the job's folder, unless its path is longer than a socket's may be.
  private static Path socket(Path folder) throws IOException {
    Path socket = folder.resolve("agent.sock");
    if (socket.toString().getBytes(StandardCharsets.UTF_8).length <= MAX_SOCKET_BYTES) {
      return socket;
    }
    Path elsewhere = Files.createTempDirectory("pliant-");
    elsewhere.toFile().deleteOnExit();
    return elsewhere.resolve("agent.sock");
  }

  boolean alive() {
    return process.isAlive();
  }

  int exitCode() {
    return process.exitValue();
  }

  /// The workers that have ended, with their exit codes.
  Map<String, Integer> ends() throws IOException {
    return WorkerEnds.read(ends);
  }

  /// Remembers what the agent has started, for [#endOrphans].
  void noteDescendants() {
    descendants.removeIf(handle -> !handle.isAlive());
    process.descendants().forEach(descendants::add);
  }

  /// Asks the agent to end its workers, and then itself.
  void askToStop() {
    noteDescendants();
    process.destroy();
  }

  void kill() throws InterruptedException {
    process.destroyForcibly().waitFor(KILL_BOUND.toMillis(), TimeUnit.MILLISECONDS);
  }

  /// Ends what an agent that was killed has left behind.
  void endOrphans() throws InterruptedException {
    descendants.forEach(ProcessHandle::destroy);
    long end = System.nanoTime() + KILL_BOUND.toNanos();
    while (descendants.stream().anyMatch(ProcessHandle::isAlive)) {
      if (System.nanoTime() - end > 0) {
        descendants.forEach(ProcessHandle::destroyForcibly);
        return;
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
  }
}
