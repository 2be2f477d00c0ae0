package dev.pliant.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.agent.node.NodeEnd;
import dev.pliant.model.Elasticity;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.HeartbeatRequest;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.Member;
import dev.pliant.rpc.MasterLocation;
import java.io.IOException;
import java.io.UncheckedIOException;
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

/// The life of a node with real processes: how it ends, and what it leaves behind.
@Timeout(value = 120, unit = TimeUnit.SECONDS)
class NodeIT {
  private static final Duration LONG = Duration.ofSeconds(60);
  private static final String STAY = "echo $$; while :; do sleep 0.05; done";

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

  private Agent agent(TestWorkers workers) {
    return Agent.start(
        new AgentConfig(
            new JobId("default", "test"),
            "node",
            new MasterLocation.MasterFile(folder),
            folder.resolve("run/agent.sock"),
            8,
            Optional.of(workers.workers())),
        AgentIT.QUICK,
        AgentIT.circumstances());
  }

  private TestWorkers sh(String script) {
    return TestWorkers.of(folder, "/bin/sh", "-c", script);
  }

  private static NodeEnd end(Agent agent) throws Exception {
    return agent.end().get(LONG.toSeconds(), TimeUnit.SECONDS);
  }

  private List<String> log(String worker) {
    Path file = folder.resolve("logs").resolve(worker + ".log");
    try {
      return Files.exists(file) ? Files.readAllLines(file) : List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private long pid(String worker) {
    await().atMost(LONG).until(() -> !log(worker).isEmpty());
    return Long.parseLong(log(worker).getFirst());
  }

  /// One that has ended but that its new parent has not taken note of yet lives no more.
  private static boolean lives(long pid) {
    try {
      String stat = Files.readString(Path.of("/proc/" + pid + "/stat"));
      return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
    } catch (IOException e) {
      return false;
    }
  }

  private static void signal(String name, long pid) throws Exception {
    assertThat(new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor())
        .isZero();
  }

  @Test
  void theFirstFailureEndsTheOthersAndIsSaidWithTheEndOfItsLog() throws Exception {
    String script =
        "echo $$; case $PLIANT_WORKER in *-1) seq 1 100; echo no data here; exit 3;; esac; sleep 300";
    try (Agent agent = agent(sh(script).count(2))) {
      NodeEnd end = end(agent);
      assertThat(end.code()).isEqualTo(3);
      assertThat(end.message())
          .startsWith("worker node-1 ended with exit code 3; its log ends:\n82\n")
          .endsWith("\n100\nno data here");
      assertThat(lives(pid("node-0"))).isFalse();
    }
  }

  @Test
  void nothingStaysWhenTheAgentIsKilled() throws Exception {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElseThrow());
    command.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp"));
    command.add(
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")));
    command.addAll(List.of(AgentProgram.class.getName(), folder.toString(), "/bin/sh", "-c"));
    command.add("echo $$; sleep 300 & echo $!; trap '' TERM HUP; wait; sleep 300");
    Process program =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("out").toFile())
            .start();
    try {
      List<Long> pids = new ArrayList<>();
      for (String worker : List.of("node-0", "node-1")) {
        await().atMost(LONG).until(() -> log(worker).size() == 2);
        log(worker).forEach(pid -> pids.add(Long.parseLong(pid)));
      }
      assertThat(pids).hasSize(4).allMatch(NodeIT::lives);
      program.destroyForcibly();
      await().atMost(LONG).until(() -> pids.stream().noneMatch(NodeIT::lives));
    } finally {
      program.destroyForcibly();
    }
  }

  @Test
  void theEndOfAKilledProcessIsSaidForWhatItWas() throws Exception {
    try (Agent agent = agent(sh(STAY).elasticity(Elasticity.IN_PROCESS));
        ScriptClient script = ScriptClient.connect(agent.socket(), "node")) {
      long pid = pid("node");
      script.send("\"op\":\"world\",\"after\":0,\"holds_state\":false,\"address\":\"h:1\"");
      master.meeting().form(1, master.meeting().awaitArrivals(1, 0));
      assertThat(script.receive().text("state")).isEqualTo("world");
      signal("KILL", pid);
      MeetRequest leave = master.meeting().await(0, MeetRequest::hasLeave);
      assertThat(leave.getLeave().getReason())
          .isEqualTo(dev.pliant.protocol.v1.ExitReason.EXIT_REASON_KILLED);
      assertThat(end(agent).code()).isEqualTo(137);
    }
  }

  @Test
  void aStoppedProcessIsKilledAndSaidToHaveBeen() throws Exception {
    try (Agent agent = agent(sh(STAY))) {
      signal("STOP", pid("node"));
      NodeEnd end = end(agent);
      assertThat(end.code()).isEqualTo(137);
      assertThat(end.reason()).isEqualTo(ExitReason.KILLED);
      assertThat(end.message()).contains("had been stopped for 1000 ms");
    }
  }

  @Test
  void aDrainReleasesProcessesFromTheirWorld() throws Exception {
    try (Agent agent = agent(sh("trap 'exit 9' TERM; " + STAY).elasticity(Elasticity.IN_PROCESS));
        ScriptClient script = ScriptClient.connect(agent.socket(), "node")) {
      long pid = pid("node");
      script.send("\"op\":\"world\",\"after\":0,\"holds_state\":false,\"address\":\"h:1\"");
      List<Member> members = master.meeting().awaitArrivals(1, 0);
      master.meeting().form(1, members);
      script.receive();
      agent.drain();
      master.meeting().await(0, MeetRequest::hasDrain);
      script.send("\"op\":\"world\",\"after\":1,\"holds_state\":true,\"address\":\"h:1\"");
      master.meeting().awaitArrivals(1, 1);
      assertThat(lives(pid)).isTrue();
      master.meeting().exclude(members.getFirst(), true);
      JsonObject released = script.receive();
      assertThat(released.text("state")).isEqualTo("released");
      signal("KILL", pid); // In place of a script that would end by itself.
      assertThat(end(agent).code()).isEqualTo(137);
    }
  }

  @Test
  void whatDoesNotGoInItsGraceIsToldToAndThenKilled() throws Exception {
    Duration grace = Duration.ofMillis(300);
    try (Agent agent =
        agent(sh("trap '' TERM; " + STAY).elasticity(Elasticity.IN_PROCESS).grace(grace))) {
      long pid = pid("node");
      long asked = System.nanoTime();
      agent.drain();
      NodeEnd end = end(agent);
      assertThat(end.code()).isZero();
      assertThat(end.reason()).isEqualTo(ExitReason.KILLED);
      assertThat(System.nanoTime() - asked)
          .isGreaterThan(grace.plus(AgentIT.QUICK.terminate()).toNanos());
      assertThat(lives(pid)).isFalse();
    }
  }

  @Test
  void aNodeThatWasGivenUpEndsAtOnce() throws Exception {
    try (Agent agent = agent(sh("trap '' TERM; " + STAY))) {
      long pid = pid("node");
      await().until(() -> master.nodesBeat() != null);
      master.giveNodeUp();
      assertThat(end(agent).code()).isEqualTo(143);
      assertThat(lives(pid)).isFalse();
    }
  }

  @Test
  void signsOfLifeCarryWhatTheNodeUsesAndDoes() throws Exception {
    try (Agent agent = agent(sh("echo $$; while :; do :; done"));
        ScriptClient script = ScriptClient.connect(agent.socket(), "node")) {
      assertThat(pid("node")).isPositive(); // It runs, and speaks for itself from now on.
      script.ask("\"op\":\"activity\",\"name\":\"train\"");
      await()
          .atMost(LONG)
          .until(() -> {
            HeartbeatRequest beat = master.nodesBeat();
            return beat != null
                && beat.getUsage().getCpu() > 0.05
                && beat.getUsage().getMemoryMib() > 0.1
                && beat.getUsage().getActivityMsOrDefault("train", 0) > 0;
          });
    }
  }

  @Test
  void plainScriptsAreStartedAgainWithEachWorldAsUnderTorchrun() throws Exception {
    String script =
        "echo $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR $MASTER_PORT; while :; do sleep 0.05; done";
    try (Agent agent = agent(sh(script).count(2).elasticity(Elasticity.RESTART))) {
      List<Member> members = master.meeting().awaitArrivals(2, 0);
      assertThat(log("node-0")).as("not before there is a world").isEmpty();
      master.meeting().form(1, members);
      String port = members.getFirst().getAddress().split(":")[1];
      await().atMost(LONG).until(() -> log("node-0").size() == 1 && log("node-1").size() == 1);
      assertThat(log("node-0")).containsExactly("0/2 0/2 127.0.0.1 " + port);
      assertThat(log("node-1")).containsExactly("1/2 1/2 127.0.0.1 " + port);
      master.meeting().reform(1, false);
      List<Member> again = master.meeting().awaitArrivals(2, 1);
      assertThat(again.getFirst().getIncarnation()).isEqualTo(members.getFirst().getIncarnation());
      master.meeting().form(2, again.reversed());
      await().atMost(LONG).until(() -> log("node-0").size() == 2);
      assertThat(log("node-0").get(1)).startsWith("1/2 1/2");
      agent.drain();
      assertThat(end(agent).code()).isZero();
    }
    assertThat(master.meeting().words()).anyMatch(MeetRequest::hasLeave);
  }

  @Test
  void plainScriptsThatFailWithTheirPeersStartAgain() throws Exception {
    String script = "echo $RANK; [ $RANK = 1 ] || sleep 300; exit 1";
    try (Agent agent = agent(sh(script).elasticity(Elasticity.RESTART))) {
      List<Member> members = master.meeting().awaitArrivals(1, 0);
      Member other = members.getFirst().toBuilder().setWorker("other").build();
      master.meeting().form(1, List.of(other, members.getFirst()));
      await().atMost(LONG).until(() -> log("node").size() == 1);
      master.meeting().reform(1, false);
      master.meeting().form(2, master.meeting().awaitArrivals(1, 1));
      await().atMost(LONG).until(() -> log("node").size() == 2);
      assertThat(agent.end()).isNotDone();
    }
  }
}
