package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.pliant.machine.nodes.LostJournal;
import dev.pliant.master.platform.local.LocalPlatform;
import dev.pliant.master.platform.local.StandInAgent;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.HeartbeatRequest;
import dev.pliant.protocol.v1.JobPhase;
import dev.pliant.protocol.v1.NodePhase;
import dev.pliant.protocol.v1.NodeStatus;
import dev.pliant.protocol.v1.NodeUsage;
import dev.pliant.protocol.v1.ScaleJobRequest;
import dev.pliant.protocol.v1.ScaleJobResponse;
import dev.pliant.protocol.v1.StopJobRequest;
import dev.pliant.testing.Needs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// A real master that starts real processes on this machine.
class NodesIT {
  private static final JobId JOB = new JobId("default", "nodes");
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final NodeResources ANY = NodeResources.UNBOUNDED;

  @TempDir Path temp;
  private Path folder = Path.of("/");
  private List<String> agent = List.of();
  private final List<RunningMaster> masters = new ArrayList<>();
  private final List<Process> processes = new ArrayList<>();

  @BeforeEach
  void prepare() throws IOException {
    folder = Files.createDirectory(temp.resolve("job"));
    agent = StandInAgent.in(temp);
  }

  @AfterEach
  void endEverything() throws IOException {
    masters.forEach(RunningMaster::close);
    processes.forEach(Process::destroyForcibly);
    pids().forEach(pid -> ProcessHandle.of(pid).ifPresent(NodesIT::killTree));
  }

  private static void killTree(ProcessHandle process) {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
  }

  private List<Long> pids() throws IOException {
    return StandInAgent.starts(folder).stream()
        .map(line -> Long.parseLong(line.split(" ")[1]))
        .toList();
  }

  private long pid(String node) throws IOException {
    return StandInAgent.starts(folder).stream()
        .filter(line -> line.startsWith(node + " "))
        .map(line -> Long.parseLong(line.split(" ")[1]))
        .findFirst()
        .orElseThrow();
  }

  private static JobPlan plan(
      Strategy strategy, int wish, int max, int restarts, NodeResources resources, String script) {
    return new JobPlan(
        JOB,
        1,
        strategy,
        strategy == Strategy.LOCAL ? Elasticity.NONE : Elasticity.IN_PROCESS,
        new JobPlan.Workers(wish, 1, max, restarts, resources),
        1,
        List.of("/bin/sh", "-c", script),
        Map.of(),
        "/",
        null,
        "",
        1_000,
        List.of());
  }

  private static JobPlan group(int wish, String script) {
    return plan(Strategy.ALLREDUCE, wish, 4, 3, ANY, script);
  }

  private RunningMaster start(JobPlan plan) throws IOException {
    return start(plan, Duration.ofHours(1));
  }

  private RunningMaster start(JobPlan plan, Duration heartbeatTimeout) throws IOException {
    RunningMaster master =
        new RunningMaster(
            MasterConfig.builder(JOB, folder)
                .heartbeatTimeout(heartbeatTimeout)
                .nodes(
                    new MasterConfig.NodeConfig(
                        plan,
                        LocalPlatform.NAME,
                        agent,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(2),
                        Map.of(),
                        LostJournal.NONE))
                .build());
    masters.add(master);
    return master;
  }

  private static GetJobResponse job(RunningMaster master) throws IOException {
    return master.job().getJob(GetJobRequest.getDefaultInstance());
  }

  private static GetJobResponse until(RunningMaster master, Predicate<GetJobResponse> wanted) {
    return await()
        .atMost(BOUND)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> job(master), wanted);
  }

  private static Stream<NodeStatus> running(GetJobResponse job) {
    return job.getNodesList().stream()
        .filter(node -> node.getPhase() == NodePhase.NODE_PHASE_RUNNING && !node.getReleased());
  }

  private static Predicate<GetJobResponse> runs(int count) {
    return job -> running(job).count() == count;
  }

  private static Predicate<GetJobResponse> is(JobPhase phase) {
    return job -> job.getPhase() == phase;
  }

  private static NodeStatus node(GetJobResponse job, String name) {
    return job.getNodesList().stream()
        .filter(node -> node.getName().equals(name))
        .findFirst()
        .orElseThrow();
  }

  private void kill(String signal, long pid) throws IOException, InterruptedException {
    Process kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid)).start();
    assertThat(kill.waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void startsTheNodesThatAreWished() throws IOException {
    RunningMaster master = start(group(2, "sleep 600"));

    GetJobResponse job = until(master, runs(2));

    assertThat(job.getPhase()).isEqualTo(JobPhase.JOB_PHASE_RUNNING);
    assertThat(running(job).map(NodeStatus::getName)).containsExactly("worker-0", "worker-1");
    assertThat(job.getCounts().getWish()).isEqualTo(2);
    assertThat(job.getCounts().getMax()).isEqualTo(4);
  }

  @Test
  void replacesAKilledAgentAtOnce() throws Exception {
    RunningMaster master = start(group(1, "sleep 600"));
    until(master, runs(1));
    long agentPid = pid("worker-0");
    List<ProcessHandle> children = ProcessHandle.of(agentPid).orElseThrow().descendants().toList();

    kill("KILL", agentPid);
    GetJobResponse job =
        until(master, now -> running(now).anyMatch(n -> n.getName().equals("worker-1")));

    assertThat(node(job, "worker-1").getCreatedMs() - node(job, "worker-0").getEndedMs())
        .as("ms, by the master's clock, from the end of the one to the other")
        .isLessThan(1_000);
    assertThat(node(job, "worker-0").getPhase()).isEqualTo(NodePhase.NODE_PHASE_FAILED);
    assertThat(node(job, "worker-0").getReason()).isEqualTo(ExitReason.EXIT_REASON_KILLED);
    assertThat(node(job, "worker-1").getReplaces()).isEqualTo("worker-0");
    assertThat(node(job, "worker-1").getRestarts()).as("a kill uses up nothing").isZero();
    assertThat(children).as("training processes").isNotEmpty();
    await().atMost(BOUND).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
  }

  @Test
  void growsAndShrinks() throws IOException {
    RunningMaster master = start(group(1, "sleep 600"));
    until(master, runs(1));

    ScaleJobResponse grown = scale(master, 3);
    assertThat(grown.getCounts().getWish()).isEqualTo(3);
    until(master, runs(3));

    ScaleJobResponse shrunk = scale(master, 1);
    assertThat(shrunk.getMessage()).isEqualTo("from 3 to 1 workers");
    GetJobResponse job =
        until(
            master,
            now ->
                now.getNodesList().stream()
                        .filter(n -> n.getPhase() == NodePhase.NODE_PHASE_DELETED)
                        .count()
                    == 2);
    assertThat(running(job).map(NodeStatus::getName)).containsExactly("worker-0");
    assertThat(job.getPhase()).isEqualTo(JobPhase.JOB_PHASE_RUNNING);

    ScaleJobResponse tooMany = scale(master, 9);
    assertThat(tooMany.getCounts().getWish()).isEqualTo(4);
    assertThat(tooMany.getMessage()).contains("4 are the most this job may have");
    until(master, runs(4));
    assertThat(StandInAgent.starts(folder)).hasSize(6);
  }

  private static ScaleJobResponse scale(RunningMaster master, int workers) throws IOException {
    return master
        .job()
        .scaleJob(ScaleJobRequest.newBuilder().setWorkers(workers).setWho("a test").build());
  }

  @Test
  void stopsWithAllItsProcesses() throws IOException {
    RunningMaster master = start(group(2, "sleep 600"));
    until(master, runs(2));

    master.job().stopJob(StopJobRequest.newBuilder().setWho("a test").build());
    GetJobResponse job = until(master, is(JobPhase.JOB_PHASE_STOPPED));

    assertThat(job.getPhaseReason()).isEqualTo("it was stopped by a test");
    assertThat(job.getNodesList())
        .allMatch(node -> node.getPhase() == NodePhase.NODE_PHASE_DELETED);
    assertThat(pids()).noneMatch(pid -> ProcessHandle.of(pid).isPresent());
  }

  @Test
  void stopsItsJobByItself() throws Exception {
    RunningMaster master = start(group(2, "sleep 600"));
    until(master, runs(2));

    master.master.stopJob("a test", BOUND);

    GetJobResponse job = until(master, is(JobPhase.JOB_PHASE_STOPPED));
    assertThat(job.getPhaseReason()).isEqualTo("it was stopped by a test");
    assertThat(pids()).noneMatch(pid -> ProcessHandle.of(pid).isPresent());
  }

  @Test
  void aProcessThatIgnoresSigtermIsKilledAfterItsGrace() throws IOException {
    RunningMaster master = start(group(1, "trap '' TERM; while :; do sleep 0.1; done"));
    until(master, runs(1));
    List<ProcessHandle> children =
        ProcessHandle.of(pid("worker-0")).orElseThrow().descendants().toList();

    master.job().stopJob(StopJobRequest.getDefaultInstance());
    until(master, is(JobPhase.JOB_PHASE_STOPPED));

    await().atMost(BOUND).until(() -> children.stream().noneMatch(ProcessHandle::isAlive));
  }

  @Test
  void aScriptThatFailsAtOnceFailsTheJobWithItsLastLines() throws IOException {
    RunningMaster master =
        start(plan(Strategy.ALLREDUCE, 1, 1, 2, ANY, "echo 'no module named digits' >&2; exit 1"));

    GetJobResponse job = until(master, is(JobPhase.JOB_PHASE_FAILED));

    assertThat(job.getPhaseReason())
        .contains("all 2 restarts are used up")
        .contains("no module named digits");
    assertThat(StandInAgent.starts(folder)).hasSize(3);
  }

  @Test
  void workersThatAreNoGroupSucceedWhenAllHave() throws IOException {
    RunningMaster master = start(plan(Strategy.LOCAL, 3, 3, 3, ANY, "exit 0"));

    GetJobResponse job = until(master, is(JobPhase.JOB_PHASE_SUCCEEDED));

    assertThat(job.getNodesList())
        .hasSize(3)
        .allMatch(node -> node.getPhase() == NodePhase.NODE_PHASE_SUCCEEDED);
  }

  @Test
  void aMasterThatIsKilledLeavesItsNodesToTheNextWhichStartsNothingTwice() throws Exception {
    JobPlan plan = group(2, "sleep 600");
    JobPlanFile.write(folder, plan);
    Process first = masterProcess();
    await().atMost(BOUND).until(() -> StandInAgent.starts(folder).size() == 2);

    assertThat(first.destroyForcibly().waitFor(BOUND.toSeconds(), TimeUnit.SECONDS)).isTrue();
    RunningMaster second = start(plan);
    GetJobResponse job = until(second, runs(2));

    assertThat(running(job).map(NodeStatus::getName)).containsExactly("worker-0", "worker-1");
    assertThat(StandInAgent.starts(folder)).hasSize(2);
    assertThat(pids()).allMatch(pid -> ProcessHandle.of(pid).isPresent());

    kill("KILL", pid("worker-0"));
    until(second, now -> running(now).anyMatch(n -> n.getReplaces().equals("worker-0")));
    second.job().stopJob(StopJobRequest.getDefaultInstance());
    until(second, is(JobPhase.JOB_PHASE_STOPPED));
    assertThat(StandInAgent.starts(folder)).hasSize(3);
  }

  private Process masterProcess() throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-cp", System.getProperty("java.class.path")));
    command.add(NodeMasterMain.class.getName());
    command.add(folder.toString());
    command.addAll(agent);
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(temp.resolve("master.log").toFile())
            .start();
    processes.add(process);
    return process;
  }

  @Test
  void nodesThatEndWhileNoMasterIsThereAreJudgedByTheNext() throws Exception {
    JobPlan plan = group(2, "sleep 600");
    RunningMaster first = start(plan);
    until(first, runs(2));
    first.close();
    masters.clear();
    List<Long> agents = pids();
    assertThat(agents).allMatch(pid -> ProcessHandle.of(pid).isPresent());
    kill("KILL", pid("worker-0"));

    RunningMaster second = start(plan);
    GetJobResponse job =
        until(second, now -> running(now).anyMatch(n -> n.getName().equals("worker-2")));

    assertThat(node(job, "worker-0").getReason()).isEqualTo(ExitReason.EXIT_REASON_KILLED);
    assertThat(running(job).map(NodeStatus::getName)).containsExactly("worker-1", "worker-2");
  }

  @Test
  void aNodeOfWhichNothingIsHeardIsReplacedAndKilled() throws Exception {
    RunningMaster master = start(group(1, "sleep 600"), Duration.ofSeconds(2));
    until(master, runs(1));
    long silent = pid("worker-0");
    kill("STOP", silent);

    GetJobResponse job =
        until(master, now -> now.getNodesList().stream().anyMatch(n -> !n.getReplaces().isEmpty()));

    assertThat(node(job, "worker-0").getReason()).isEqualTo(ExitReason.EXIT_REASON_NO_HEARTBEAT);
    await().atMost(BOUND).until(() -> ProcessHandle.of(silent).isEmpty());
    assertThat(
            master
                .job()
                .heartbeat(HeartbeatRequest.newBuilder().setNode("worker-0").build())
                .getNodeGone())
        .isTrue();
  }

  @Test
  void heartbeatsKeepANodeAndSayWhatItUses() throws IOException {
    Duration timeout = Duration.ofSeconds(15);
    RunningMaster master = start(group(1, "sleep 600"), timeout);
    until(master, runs(1));
    HeartbeatRequest beat =
        HeartbeatRequest.newBuilder()
            .setNode("worker-0")
            .setUsage(
                NodeUsage.newBuilder().setCpu(0.5).setMemoryMib(128).putActivityMs("train", 1_000))
            .build();

    long end = System.nanoTime() + timeout.plusSeconds(3).toNanos();
    await()
        .atMost(BOUND)
        .pollInterval(Duration.ofMillis(200))
        .until(() -> {
          assertThat(master.job().heartbeat(beat).getNodeGone()).isFalse();
          return System.nanoTime() - end > 0;
        });

    NodeStatus node = node(job(master), "worker-0");
    assertThat(node.getPhase()).isEqualTo(NodePhase.NODE_PHASE_RUNNING);
    assertThat(node.getCpu()).isEqualTo(0.5);
    assertThat(node.getMemoryMib()).isEqualTo(128);
    assertThat(node.getActivityMsMap()).containsEntry("train", 1_000L);
  }

  @Test
  void whatANodeUsedIsKnownToTheNextMaster() throws Exception {
    JobPlan plan = group(1, "sleep 600");
    RunningMaster master = start(plan);
    until(master, runs(1));
    master
        .job()
        .heartbeat(
            HeartbeatRequest.newBuilder()
                .setNode("worker-0")
                .setUsage(
                    NodeUsage.newBuilder()
                        .setCpu(0.5)
                        .setMemoryMib(128)
                        .putActivityMs("train", 1_000))
                .build());
    kill("KILL", pid("worker-0"));
    until(master, now -> now.getNodesList().stream().anyMatch(n -> !n.getReplaces().isEmpty()));
    master.close();

    NodeStatus ended = node(job(start(plan)), "worker-0");

    assertThat(ended.getPhase()).isEqualTo(NodePhase.NODE_PHASE_FAILED);
    assertThat(ended.getCpu()).isEqualTo(0.5);
    assertThat(ended.getMemoryMib()).isEqualTo(128);
    assertThat(ended.getActivityMsMap()).containsEntry("train", 1_000L);
  }

  @Test
  void aNodeThatTheKernelKillsForMemoryIsReplacedByLargerOnes() throws IOException {
    Needs.that(StandInAgent.canBoundMemory(), "control groups that it may make");
    RunningMaster master =
        start(
            plan(
                Strategy.ALLREDUCE,
                1,
                1,
                0,
                new NodeResources(0, 64, 0),
                "head -c 150000000 /dev/zero | tail >/dev/null"));

    GetJobResponse job = until(master, is(JobPhase.JOB_PHASE_SUCCEEDED));

    assertThat(node(job, "worker-0").getReason()).isEqualTo(ExitReason.EXIT_REASON_OOM);
    assertThat(node(job, "worker-0").getMemoryLimitMib()).isEqualTo(64);
    assertThat(node(job, "worker-1").getMemoryLimitMib()).isEqualTo(128);
    NodeStatus last = job.getNodesList().getLast();
    assertThat(last.getPhase()).isEqualTo(NodePhase.NODE_PHASE_SUCCEEDED);
    assertThat(last.getMemoryLimitMib()).isBetween(256.0, 1_024.0);
    assertThat(last.getRestarts()).as("no restart is used up").isZero();
    await()
        .atMost(BOUND)
        .untilAsserted(
            () -> assertThat(StandInAgent.groupsLeft(folder)).as("groups that are left").isEmpty());
  }

  @Test
  void aPlanOfANewerRunBeginsTheJobAnew() throws IOException {
    JobPlan once = plan(Strategy.LOCAL, 1, 1, 0, ANY, "exit 1");
    RunningMaster first = start(once);
    until(first, is(JobPhase.JOB_PHASE_FAILED));
    first.close();
    masters.clear();

    RunningMaster same = start(once);
    until(same, is(JobPhase.JOB_PHASE_FAILED));
    assertThat(StandInAgent.starts(folder)).hasSize(1);
    same.close();
    masters.clear();

    RunningMaster next =
        start(
            new JobPlan(
                JOB,
                System.currentTimeMillis(),
                Strategy.LOCAL,
                Elasticity.NONE,
                once.workers(),
                1,
                List.of("true"),
                Map.of(),
                "/",
                null,
                "",
                1_000,
                List.of()));
    GetJobResponse job = until(next, is(JobPhase.JOB_PHASE_SUCCEEDED));
    assertThat(job.getNodesList()).extracting(NodeStatus::getName).containsExactly("worker-1");
  }
}
