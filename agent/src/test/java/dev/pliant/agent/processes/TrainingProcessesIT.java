package dev.pliant.agent.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TrainingProcessesIT {
  private static final WorkerId FIRST = new WorkerId("node-0");

  @TempDir Path folder;
  private final TrainingProcesses processes = new TrainingProcesses();

  @AfterEach
  void stop() throws InterruptedException {
    processes.stop(Duration.ZERO, System::nanoTime);
  }

  private void start(int count, String script) throws IOException {
    processes.start(
        new Workers(
            count,
            List.of("/bin/sh", "-c", script),
            Map.of("COLOUR", "red", "PYTHONPATH", "/other"),
            folder,
            folder.resolve("logs"),
            folder.resolve("python")),
        new JobId("ns", "job"),
        "node",
        folder.resolve("agent.sock"),
        new PrintStream(OutputStream.nullOutputStream()),
        _ -> {});
  }

  private int exitOf(WorkerId worker) throws Exception {
    return processes.exitOf(worker).orElseThrow().get(30, TimeUnit.SECONDS);
  }

  private String log(WorkerId worker) throws IOException {
    Path file = folder.resolve("logs").resolve(worker + ".log");
    return Files.exists(file) ? Files.readString(file) : "";
  }

  private long printedPid() {
    await().until(() -> log(FIRST).matches("(?s)\\d+\n.*"));
    try {
      return Long.parseLong(log(FIRST).lines().findFirst().orElseThrow());
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static boolean lives(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  @Test
  void eachFindsItsAgentAndItsName() throws Exception {
    start(
        2,
        "echo $PLIANT_SOCKET $PLIANT_WORKER $PLIANT_JOB $PYTHONPATH $PYTHONUNBUFFERED $COLOUR; pwd >&2; exit 3");
    for (int i = 0; i < 2; i++) {
      WorkerId worker = new WorkerId("node-" + i);
      assertThat(exitOf(worker)).isEqualTo(3);
      assertThat(log(worker))
          .isEqualTo(
              "%s/agent.sock node-%d ns/job %s/python:/other 1 red\n%s\n"
                  .formatted(folder, i, folder, folder.toRealPath()));
    }
  }

  @Test
  void endBySignalIsCountedAsAShellDoes() throws Exception {
    start(1, "kill -9 $$");
    assertThat(exitOf(FIRST)).isEqualTo(137);
  }

  @Test
  void whatItLeavesBehindIsEnded() throws Exception {
    start(1, "setsid sleep 300 & echo $!; exit 0");
    long orphan = printedPid();
    assertThat(exitOf(FIRST)).isZero();
    await().until(() -> !lives(orphan));
  }

  @Test
  void stoppingAsksFirst() throws Exception {
    start(1, "trap 'echo asked; exit 7' TERM; echo $$; while true; do sleep 0.05; done");
    printedPid();
    processes.stop(Duration.ofSeconds(20), System::nanoTime);
    assertThat(exitOf(FIRST)).isEqualTo(7);
    assertThat(log(FIRST)).endsWith("asked\n");
  }

  @Test
  void stoppingKillsWhatDoesNotListenWithAllItStarted() throws Exception {
    start(1, "trap '' TERM; sleep 300 & echo $!; while true; do sleep 0.05; done");
    long child = printedPid();
    processes.stop(Duration.ofMillis(100), System::nanoTime);
    assertThat(exitOf(FIRST)).isEqualTo(137);
    await().until(() -> !lives(child));
  }

  @Test
  void programThatIsNotThereIsSaid() {
    assertThatThrownBy(() ->
            processes.start(
                new Workers(1, List.of("/no/such/program"), Map.of(), folder, folder, folder),
                new JobId("ns", "job"),
                "node",
                folder.resolve("agent.sock"),
                System.out,
                _ -> {}))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/no/such/program");
  }
}
