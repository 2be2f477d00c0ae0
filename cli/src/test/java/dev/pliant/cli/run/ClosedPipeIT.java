package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A command that follows a job of this machine, and a reader that has soon had enough.
final class ClosedPipeIT {
  @TempDir Path folder;

  /// This process holds the job, so that it does not end before the test does.
  @Test
  void endsWithItsReader() throws Exception {
    Path job = folder.resolve("state/pliant/jobs/default/count");
    Files.createDirectories(job.resolve("journal"));
    Files.createDirectories(job.resolve("logs"));
    Files.writeString(job.resolve("logs/worker-0.log"), "a line of many\n".repeat(100_000));
    Files.writeString(
        job.resolve("lock"),
        "process %d, since %s%n".formatted(ProcessHandle.current().pid(), Instant.now()));

    List<String> command =
        new ArrayList<>(List.of("bash", "-c", "set -o pipefail; \"$@\" | head -n 1", "bash"));
    command.addAll(RunningPliant.command("logs", "count", "-f"));
    Path err = folder.resolve("err");
    ProcessBuilder builder = new ProcessBuilder(command).redirectError(err.toFile());
    builder.environment().put("XDG_STATE_HOME", folder.resolve("state").toString());
    Process logs = builder.start();
    try {
      assertThat(logs.waitFor(RunningPliant.BOUND.toMillis(), TimeUnit.MILLISECONDS)).isTrue();
      assertThat(logs.exitValue()).isEqualTo(141);
      assertThat(new String(logs.getInputStream().readAllBytes()))
          .isEqualTo("[worker-0] a line of many\n");
      assertThat(Files.readString(err)).isEmpty();
    } finally {
      logs.descendants().forEach(ProcessHandle::destroyForcibly);
      logs.destroyForcibly();
    }
  }
}
