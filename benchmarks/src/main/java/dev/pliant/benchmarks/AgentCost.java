package dev.pliant.benchmarks;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/// What an agent costs a node: the time from its start to the first act of the training process
/// that it starts once it has a world from its master, by TLS, and its memory beside a worker.
final class AgentCost implements Measure {
  private static final Duration BOUND = Duration.ofMinutes(1);

  /// How long after its worker is ready an agent's memory is read: some heartbeats later.
  private static final Duration SETTLED = Duration.ofSeconds(10);

  /// A training process that is ready at once.
  private static final List<String> SHELL =
      List.of("/bin/sh", "-c", "echo ready >\"$0\"; exec sleep 600");

  /// An agent is started so often for each start of a master: it takes a tenth of the time.
  private static final int STARTS = 4;

  @Override
  public String name() {
    return "agent";
  }

  @Override
  public String what() {
    return "an agent's start to its training process, and its memory, beside torchrun's";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    Path folder = bench.folder("agent");
    var ready = new ArrayList<Double>();
    var peerReady = new ArrayList<Double>();
    var memory = new ArrayList<Resident>();
    var peerMemory = new ArrayList<Resident>();
    try (PliantMaster master =
        PliantMaster.start(bench, folder, true, List.of("--members", "1:1"))) {
      var _ = master.firstAnswerMs();
      var _ = readyMs(folder, "worker-0");
      for (int round = 1; round <= bench.plan().starts(); round++) {
        for (int i = 0; i < STARTS; i++) {
          ready.add(readyMs(folder, "worker-%d".formatted(STARTS * round + i)));
        }
        memory.add(memory(bench, folder, "idle-%d".formatted(round)));
        torchrun(bench, round, peerReady, peerMemory);
        bench.say(
            "round %d: ready in %.0f ms, %.1f MB (%.1f of its own); %s %.0f ms, %.1f MB (%.1f)",
            round,
            new Series(ready.subList(ready.size() - STARTS, ready.size())).median(),
            memory.getLast().whole(),
            memory.getLast().own(),
            TorchrunAgents.NAME,
            peerReady.getLast(),
            peerMemory.getLast().whole(),
            peerMemory.getLast().own());
      }
    }
    return List.of(
        Row.of(
                "agent",
                "start to training process, TLS",
                "ms",
                new Series(ready),
                new Bar.ValueAtMost(600))
            .beside(TorchrunAgents.NAME, new Series(peerReady))
            .with("least_ms", new Series(ready).min()),
        Row.of("agent", "resident, TLS", "MB", whole(memory), new Bar.ValueAtMost(80))
            .beside(TorchrunAgents.NAME, whole(peerMemory))
            .with("share_mb", memory.stream().map(Resident::share).toList())
            .with("own_mb", memory.stream().map(Resident::own).toList())
            .with("peer_own_mb", peerMemory.stream().map(Resident::own).toList()));
  }

  private static Series whole(List<Resident> memory) {
    return new Series(memory.stream().map(Resident::whole).toList());
  }

  /// As for a plain script: the agent joins the rendezvous, is given a world, then starts it.
  private static double readyMs(Path folder, String node) throws IOException, InterruptedException {
    try (PliantAgent agent = PliantAgent.start(folder, node, "restart", SHELL)) {
      return agent.awaitReady(BOUND);
    }
  }

  /// Beside a worker that has leased shards and has a world.
  private static Resident memory(Bench bench, Path folder, String node)
      throws IOException, InterruptedException {
    Path script = bench.root().resolve("benchmarks/training/idle.py");
    List<String> worker = List.of(bench.torchPython().toString(), script.toString());
    try (PliantAgent agent = PliantAgent.start(folder, node, "in-process", worker)) {
      var _ = agent.awaitReady(BOUND);
      return settled(agent.child());
    }
  }

  private static void torchrun(Bench bench, int round, List<Double> ready, List<Resident> memory)
      throws IOException, InterruptedException {
    Path folder = bench.folder("torchrun");
    Path file = folder.resolve("ready");
    var command =
        new ArrayList<>(
            List.of(
                bench.torchPython().toString(),
                "-m",
                "torch.distributed.run",
                "--nnodes=1",
                "--nproc-per-node=1",
                "--rdzv-backend=c10d",
                "--rdzv-endpoint=127.0.0.1:0",
                "--local-addr=127.0.0.1",
                "--no-python"));
    command.addAll(SHELL);
    command.add(file.toString());
    Child agent =
        Child.start(
            "torchrun's agent", command, Map.of(), folder.resolve("agent-%d.log".formatted(round)));
    try {
      var _ = agent.await(file, BOUND);
      ready.add((System.nanoTime() - agent.startedNanos()) / 1e6);
      memory.add(settled(agent));
    } finally {
      agent.killTree();
    }
  }

  private static Resident settled(Child agent) throws IOException, InterruptedException {
    TimeUnit.SECONDS.sleep(SETTLED.toSeconds());
    agent.checkAlive();
    return Resident.of(agent.pid());
  }
}
