package dev.pliant.agent.processes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.agent.TestWorkers;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class TrainingProcessesIT {
  private static final WorkerId FIRST = new WorkerId("node-0");

  @TempDir Path folder;
  private final Map<WorkerId, ProcessEnd> ends = new ConcurrentHashMap<>();
  private TrainingProcesses processes;

  @BeforeEach
  void begin() {
    processes =
        new TrainingProcesses(
            folder.resolve("agent.sock"),
            folder.resolve("logs"),
            TrainingProcesses.Printing.QUIET,
            Duration.ofMillis(500),
            System::nanoTime,
            new TrainingProcesses.Listener() {
              @Override
              public void exited(WorkerId worker, ProcessEnd end) {
                ends.put(worker, end);
              }

              @Override
              public void cleared(WorkerId worker) {}
            });
  }

  @AfterEach
  void stop() throws InterruptedException {
    processes.stop(Duration.ZERO);
    processes.close();
  }

  private void start(int count, String script) throws IOException {
    start(count, List.of(), "/bin/sh", "-c", script);
  }

  private void start(int count, List<Path> cgroups, String... command) throws IOException {
    Workers workers =
        TestWorkers.of(folder, command)
            .count(count)
            .environment(Map.of("COLOUR", "red", "PYTHONPATH", "/other"))
            .workers();
    ProcessEnvironment environment =
        new ProcessEnvironment(
            new JobId("ns", "job"), folder.resolve("agent.sock"), workers, System.getenv());
    for (int i = 0; i < count; i++) {
      WorkerId worker = new WorkerId("node-" + i);
      processes.start(
          new Launch(
              worker,
              workers.command(),
              environment.of(worker, i, Optional.empty()),
              folder,
              cgroups));
    }
  }

  private int exitOf(WorkerId worker) throws Exception {
    return Objects.requireNonNull(processes.exits().get(worker)).get(30, TimeUnit.SECONDS);
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
    processes.stop(Duration.ofSeconds(20));
    assertThat(exitOf(FIRST)).isEqualTo(7);
    assertThat(log(FIRST)).endsWith("asked\n");
  }

  @Test
  void stoppingKillsWhatDoesNotListenWithAllItStarted() throws Exception {
    start(1, "trap '' TERM; sleep 300 & echo $!; while true; do sleep 0.05; done");
    long child = printedPid();
    processes.stop(Duration.ofMillis(100));
    assertThat(exitOf(FIRST)).isEqualTo(137);
    await().until(() -> !lives(child));
  }

  @Test
  void programOrFolderThatIsNotThereIsSaid() {
    assertThatThrownBy(() -> start(1, List.of(), "/no/such/program"))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("/no/such/program");
    assertThatThrownBy(() -> start(1, List.of(), "no-such-program"))
        .hasMessageContaining("'no-such-program' is not to be found in PATH");
  }

  @Test
  void stoppedProcessIsKilledAndSaidToHaveBeen() throws Exception {
    start(1, "echo $$; kill -STOP $$; sleep 300");
    printedPid();
    await()
        .pollInterval(Duration.ofMillis(50))
        .until(() -> {
          processes.killStopped();
          return !ends.isEmpty();
        });
    assertThat(exitOf(FIRST)).isEqualTo(137);
    assertThat(ends.get(FIRST))
        .isNotNull()
        .extracting(ProcessEnd::note)
        .asString()
        .contains("stopped");
  }

  @Test
  void usageIsThatOfTheWholeTree() throws Exception {
    start(1, "sh -c 'while :; do :; done' & echo $$; wait");
    printedPid();
    await()
        .until(() -> {
          Usage usage = processes.usage();
          return usage.cores() > 0.1 && usage.memoryMib() > 0.5;
        });
  }

  @Test
  void entersItsControlGroupsBeforeItRuns() throws Exception {
    Path group = Files.createDirectory(folder.resolve("group"));
    start(1, List.of(group), "/bin/sh", "-c", "echo $$");
    long pid = printedPid();
    assertThat(exitOf(FIRST)).isZero();
    assertThat(group.resolve("cgroup.procs")).hasContent(pid + "\n");
  }

  @Test
  void killForLackOfMemoryIsToldFromAnyOther() throws Exception {
    Path group = Files.createDirectory(folder.resolve("group"));
    Files.writeString(group.resolve("memory.events"), "low 0\noom 3\noom_kill 1\n");
    start(1, List.of(group), "/bin/sh", "-c", "echo $$; sleep 300");
    long pid = printedPid();
    Files.writeString(group.resolve("memory.events"), "low 0\noom 4\noom_kill 2\n");
    ProcessHandle.of(pid).orElseThrow().destroyForcibly();
    assertThat(exitOf(FIRST)).isEqualTo(ProcessEnd.OUT_OF_MEMORY);
  }

  @Test
  void controlGroupThatCannotBeEnteredIsSaid() throws Exception {
    start(1, List.of(folder.resolve("none")), "/bin/sh", "-c", "echo never");
    assertThat(exitOf(FIRST)).isEqualTo(126);
    assertThat(log(FIRST)).contains("cannot be entered").doesNotContain("never");
  }
}
