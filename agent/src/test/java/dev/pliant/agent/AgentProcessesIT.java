package dev.pliant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.agent.node.NodeEnd;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.rpc.MasterLocation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
                TestWorkers.of(folder, command.toArray(String[]::new)).count(count).workers())),
        AgentIT.QUICK,
        AgentIT.circumstances());
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

  private static NodeEnd end(Agent agent) throws Exception {
    return agent.end().get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  @Test
  void processesTrainToTheEnd() throws Exception {
    try (Agent agent = agent(2, script())) {
      assertThat(end(agent).code()).isZero();
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
      awaitLog("node", "standing still");
      assertThat(agent.end()).isNotDone();
      await("one in hand, more ahead").until(() -> master.ledger().outOf("node") > 1);
      processOf("node").destroyForcibly();
      assertThat(end(agent).code()).isEqualTo(137);
      await().until(() -> master.ledger().ends().size() == 1);
      assertThat(master.ledger().ends().getFirst().getReason())
          .isEqualTo(ExitReason.EXIT_REASON_KILLED);
      assertThat(master.ledger().ends().getFirst().getMessage()).contains("137");
      assertThat(master.ledger().outOf("node")).isZero();
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
      awaitLog("node", "standing still");
      // What the shell started has the connection, and would go on.
      ProcessHandle shell = processOf("node");
      shell.destroyForcibly();
      assertThat(end(agent).code()).isEqualTo(137);
      await().until(() -> master.ledger().ends().size() == 1);
    }
    assertThat(master.ledger().outOf("node")).isZero();
  }

  @Test
  void closingEndsItsProcesses() throws Exception {
    Agent agent = agent(1, script("3"));
    awaitLog("node", "standing still");
    ProcessHandle process = processOf("node");
    agent.close();
    assertThat(process.isAlive()).isFalse();
    assertThat(master.ledger().ends())
        .extracting(EndWorkerRequest::getReason)
        .containsExactly(ExitReason.EXIT_REASON_KILLED);
    assertThat(master.ledger().outOf("node")).isZero();
  }

  @Test
  void programThatCannotBeStartedEndsTheNode() throws Exception {
    try (Agent agent = agent(1, List.of("/no/such/program"))) {
      assertThat(end(agent).code()).isEqualTo(127);
      assertThat(end(agent).message()).contains("/no/such/program");
    }
  }
}
