package dev.pliant.e2e;

import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/// A real master in a process of its own, to be killed.
final class MasterProcess implements AutoCloseable {
  private final Process process;

  private MasterProcess(Process process) {
    this.process = process;
  }

  static MasterProcess start(JobId job, Path folder, Path log) throws IOException {
    return new MasterProcess(
        Commands.java(
                "dev.pliant.cli.Main",
                "master",
                "--with-parent",
                "--job-dir",
                folder.toString(),
                "--job",
                job.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
            .start());
  }

  boolean isAlive() {
    return process.isAlive();
  }

  /// kill -9.
  void kill() throws InterruptedException {
    process.destroyForcibly();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      throw new AssertionError("a killed master lives on");
    }
  }

  @Override
  public void close() throws InterruptedException {
    process.destroy();
    if (!process.waitFor(30, TimeUnit.SECONDS)) {
      kill();
    }
  }
}
