package dev.pliant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.agent.master.MasterLocation;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.ExitReason;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// An agent that starts training processes, which end in every way.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class AgentProcessesIT {
  private static final Duration LONG = Duration.ofSeconds(60);

  @TempDir Path folder;
  private FakeMaster master;

  @BeforeEach
  void startMaster() throws IOException {
    master = new FakeMaster(folder, null).start();
  }

  @AfterEach
  void stopMaster() throws InterruptedException {
    master.close();
  }

  private static List<String> script(String... arguments) {
    String classes =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", classes));
    command.add(TrainingScript.class.getName());
    command.addAll(List.of(arguments));
    return command;
  }

  private Agent agent(int count, List<String> command) {
    return Agent.start(
        new AgentConfig(
            new JobId("default", "test"),
            "node",
            new MasterLocation.MasterFile(folder),
            folder.resolve("run/agent.sock"),
            8,
            Optional.of(
                new Workers(count, command, Map.of(), folder, folder.resolve("logs"), folder))),
        AgentIT.QUICK,
        System::nanoTime,
        new SplittableRandom(1),
        new PrintStream(OutputStream.nullOutputStream()));
  }

  private void awaitLog(String worker, String text) {
    Path file = folder.resolve("logs").resolve(worker + ".log");
    await().atMost(LONG).until(() -> Files.exists(file) && Files.readString(file).contains(text));
  }

  private static ProcessHandle processOf(String worker) {
    return ProcessHandle.current()
        .children()
        .filter(process -> {
          try {
            return Files.readString(Path.of("/proc/" + process.pid() + "/environ"))
                .contains("PLIANT_WORKER=" + worker + "\0");
          } catch (IOException e) {
            return false;
          }
        })
        .findFirst()
        .orElseThrow();
  }

  @Test
  void processesTrainToTheEnd() throws Exception {
    try (Agent agent = agent(2, script())) {
      WorkersResult result = agent.awaitWorkers(LONG);
      assertThat(result.succeeded()).as("%s", result).isTrue();
      assertThat(result.exitCodes())
          .containsOnlyKeys(new WorkerId("node-0"), new WorkerId("node-1"));
    }
    assertThat(master.ledger().done("train")).hasSize(300);
    assertThat(master.ledger().done("train").values()).allMatch(times -> times == 1);
    assertThat(master.ledger().ends())
        .extracting(EndWorkerRequest::getReason)
        .containsOnly(ExitReason.EXIT_REASON_UNSPECIFIED);
  }

  @Test
  void shardsOfAProcessThatIsKilledGoToTheOther() throws Exception {
    try (Agent agent = agent(1, script("57"))) {
      awaitLog("node-0", "standing still");
      assertThat(agent.awaitWorkers(Duration.ZERO).running()).hasSize(1);
      assertThat(master.ledger().outOf("node-0")).as("one in hand, more ahead").isGreaterThan(1);
      processOf("node-0").destroyForcibly();
      assertThat(agent.awaitWorkers(LONG).exitCodes()).containsEntry(new WorkerId("node-0"), 137);
      await().until(() -> master.ledger().ends().size() == 1);
      assertThat(master.ledger().ends().getFirst().getReason())
          .isEqualTo(ExitReason.EXIT_REASON_KILLED);
      assertThat(master.ledger().ends().getFirst().getMessage()).contains("137");
      assertThat(master.ledger().outOf("node-0")).isZero();
      assertThat(master.ledger().returned("train")).isPositive();
      assertThat(master.ledger().done("train")).doesNotContainKey(57L);
      try (ScriptClient other = ScriptClient.connect(agent.socket(), "other")) {
        var next = other.next("train");
        while (!next.text("state").equals("end")) {
          if (next.text("state").equals("shard")) {
            other.report("train", next.object("shard"), "done");
          }
          next = other.next("train");
        }
      }
    }
    assertThat(master.ledger().done("train")).hasSize(300);
    assertThat(master.ledger().done("train").values()).allMatch(times -> times == 1);
  }

  @Test
  void workerEndsWithItsProcessThoughSomethingItStartedLives() throws Exception {
    List<String> dies = List.of("/bin/sh", "-c", String.join(" ", script("0")) + " & sleep 300");
    try (Agent agent = agent(1, dies)) {
      awaitLog("node-0", "standing still");
      // What the shell started has the connection, and would go on.
      ProcessHandle shell = processOf("node-0");
      shell.destroyForcibly();
      assertThat(agent.awaitWorkers(LONG).ended()).isTrue();
      await().until(() -> master.ledger().ends().size() == 1);
    }
    assertThat(master.ledger().outOf("node-0")).isZero();
  }

  @Test
  void closingEndsItsProcesses() throws Exception {
    Agent agent = agent(1, script("3"));
    awaitLog("node-0", "standing still");
    ProcessHandle process = processOf("node-0");
    agent.close();
    assertThat(process.isAlive()).isFalse();
    assertThat(agent.awaitWorkers(Duration.ZERO).exitCodes())
        .containsEntry(new WorkerId("node-0"), 143);
    assertThat(master.ledger().ends())
        .extracting(EndWorkerRequest::getReason)
        .containsExactly(ExitReason.EXIT_REASON_KILLED);
    assertThat(master.ledger().outOf("node-0")).isZero();
  }

  @Test
  void programThatCannotBeStartedLeavesNothingBehind() {
    assertThatThrownBy(() -> agent(1, List.of("/no/such/program")))
        .isInstanceOf(UncheckedIOException.class)
        .hasMessageContaining("/no/such/program");
    assertThat(folder.resolve("run/agent.sock")).doesNotExist();
  }
}
