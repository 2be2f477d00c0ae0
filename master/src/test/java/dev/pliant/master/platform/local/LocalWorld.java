package dev.pliant.master.platform.local;

import static org.awaitility.Awaitility.await;

import dev.pliant.master.platform.Platform;
import dev.pliant.master.platform.PlatformConfig;
import dev.pliant.master.platform.ScalerContract;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ProcStat;
import dev.pliant.model.Strategy;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// The local platform in a folder of its own, with real processes.
final class LocalWorld implements ScalerContract.World {
  private final Path folder;
  private final List<String> agent;
  private final String script;

  LocalWorld(Path folder, String script) throws IOException {
    this.folder = folder;
    this.script = script;
    this.agent = StandInAgent.in(folder);
  }

  @Override
  public Platform.Opened open(BooleanSupplier current) throws IOException {
    return Platform.named(LocalPlatform.NAME).open(config(current));
  }

  PlatformConfig config(BooleanSupplier current) {
    return new PlatformConfig(
        plan(script),
        folder,
        agent,
        Duration.ofSeconds(1),
        Duration.ofSeconds(2),
        current,
        1,
        Map.of());
  }

  static JobPlan plan(String script) {
    return new JobPlan(
        new JobId("default", "contract"),
        1,
        Strategy.ALLREDUCE,
        Elasticity.IN_PROCESS,
        new JobPlan.Workers(1, 1, 16, 3, NodeResources.UNBOUNDED),
        1,
        List.of("/bin/sh", "-c", script),
        Map.of(),
        "/",
        null,
        "",
        1_000,
        List.of());
  }

  @Override
  public List<NodeId> alive() throws IOException {
    List<NodeId> alive = new ArrayList<>();
    for (String start : StandInAgent.starts(folder)) {
      String[] parts = start.split(" ");
      if (MachineProcesses.of(Long.parseLong(parts[1])).filter(ProcStat::alive).isPresent()) {
        alive.add(NodeId.parse(parts[0]));
      }
    }
    return alive;
  }

  @Override
  public long starts(NodeId node) throws IOException {
    return StandInAgent.starts(folder).stream().filter(line -> line.startsWith(node + " ")).count();
  }

  @Override
  public void crash(NodeId node) throws IOException {
    for (String start : StandInAgent.starts(folder)) {
      String[] parts = start.split(" ");
      if (parts[0].equals(node.toString())) {
        ProcessHandle.of(Long.parseLong(parts[1])).ifPresent(ProcessHandle::destroyForcibly);
      }
    }
    await().atMost(Duration.ofSeconds(20)).until(() -> !alive().contains(node));
  }

  @Override
  public void close() throws IOException {
    for (String start : StandInAgent.starts(folder)) {
      String[] parts = start.split(" ");
      Claim claim = Claim.read(new NodeFiles(folder).claim(NodeId.parse(parts[0]))).orElseThrow();
      int unused =
          NodeProcesses.kill(claim, NodeProcesses.mark(folder, NodeId.parse(parts[0])), List.of());
    }
  }
}
