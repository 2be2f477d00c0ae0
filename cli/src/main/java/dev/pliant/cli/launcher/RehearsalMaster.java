package dev.pliant.cli.launcher;

import dev.pliant.cli.Main;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// A master for a rehearsal. Another process, so that its classes stay out of the cache.
final class RehearsalMaster implements AutoCloseable {
  private static final Duration BOUND = Duration.ofSeconds(60);

  private final Process process;

  private RehearsalMaster(Process process) {
    this.process = process;
  }

  /// Starts one, of a job whose group has one member, and waits until it serves.
  ///
  /// @param folder the job's, made if it is not there
  static RehearsalMaster start(String classPath, JobId job, Path folder)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(java(classPath, Main.class));
    command.addAll(List.of("master", "--with-parent", "--members", "1:1"));
    command.addAll(List.of("--job-dir", folder.toString(), "--job", job.toString()));
    Process process =
        new ProcessBuilder(command)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    RehearsalMaster master = new RehearsalMaster(process);
    long end = System.nanoTime() + BOUND.toNanos();
    while (!Files.exists(folder.resolve("master.json"))) {
      if (!process.isAlive() || System.nanoTime() - end > 0) {
        master.close();
        throw new IOException("the master of the rehearsal did not come up in " + folder);
      }
      TimeUnit.MILLISECONDS.sleep(20);
    }
    return master;
  }

  /// How this JVM's program runs a class of ours.
  static List<String> java(String classPath, Class<?> main) {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    return List.of(java.toString(), "-cp", classPath, main.getName());
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
      process.destroyForcibly();
    }
  }
}
