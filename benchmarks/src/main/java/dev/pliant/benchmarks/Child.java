package dev.pliant.benchmarks;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// A server started for a measure: its output goes to a file, and closing it ends it, by force if
/// it does not go by itself.
final class Child implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final String name;
  private final Process process;
  private final Path output;
  private final long startedNanos;

  private Child(String name, Process process, Path output, long startedNanos) {
    this.name = name;
    this.process = process;
    this.output = output;
    this.startedNanos = startedNanos;
  }

  static Child start(
      String name, List<String> command, Map<String, String> environment, Path output)
      throws IOException {
    var builder = new ProcessBuilder(command);
    builder.environment().putAll(environment);
    builder.redirectErrorStream(true).redirectOutput(output.toFile());
    long now = System.nanoTime();
    return new Child(name, builder.start(), output, now);
  }

  long pid() {
    return process.pid();
  }

  /// `System.nanoTime` just before the process was started.
  long startedNanos() {
    return startedNanos;
  }

  /// Throws, with the end of its output, if it has ended.
  void checkAlive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException(
          "%s ended with %d; the end of %s:%n%s"
              .formatted(name, process.exitValue(), output, tail()));
    }
  }

  /// Waits until a file it writes is there and not empty.
  String await(Path file, Duration timeout) throws IOException, InterruptedException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (System.nanoTime() < deadline) {
      if (Files.exists(file) && Files.size(file) > 0) {
        return Files.readString(file);
      }
      checkAlive();
      TimeUnit.MILLISECONDS.sleep(1);
    }
    throw new IOException(
        "%s did not write %s within %d s; the end of %s:%n%s"
            .formatted(name, file, timeout.toSeconds(), output, tail()));
  }

  /// Processor time it has used so far, in user and kernel mode.
  Duration cpu() {
    return process.toHandle().info().totalCpuDuration().orElse(Duration.ZERO);
  }

  /// Memory in pages of its own or shared that are in RAM now.
  double residentMb() throws IOException {
    return statusMb("VmRSS");
  }

  /// The most it ever had.
  double peakResidentMb() throws IOException {
    return statusMb("VmHWM");
  }

  private double statusMb(String field) throws IOException {
    checkAlive();
    Path status = Path.of("/proc", Long.toString(pid()), "status");
    return Long.parseLong(Machine.field(status, field, "0 kB").replace(" kB", "").strip()) / 1024.0;
  }

  private String tail() throws IOException {
    List<String> lines = Files.readAllLines(output);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
  }

  /// Ends it at once, without giving it the chance to say goodbye.
  void kill() {
    process.destroyForcibly();
    close();
  }

  /// Ends it and everything it has started, as the loss of a machine does.
  void killTree() {
    killTree(process.toHandle());
    close();
  }

  /// Children first would let the parent see them go; all of them at once is how a machine dies.
  static void killTree(ProcessHandle root) {
    List<ProcessHandle> below = root.descendants().toList();
    root.destroyForcibly();
    below.forEach(ProcessHandle::destroyForcibly);
  }

  /// Asks it to end, as a scheduler does.
  void terminate() {
    process.destroy();
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
        process.destroyForcibly().waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
