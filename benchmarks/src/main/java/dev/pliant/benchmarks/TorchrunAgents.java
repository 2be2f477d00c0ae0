package dev.pliant.benchmarks;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Agents of torchrun on this machine, one process each, as on machines of their own. The first
/// hosts the rendezvous.
///
/// Tuned: the last call is a second instead of thirty, and its store is not shared with the
/// training, without which a join hangs with such a last call.
final class TorchrunAgents implements AutoCloseable {
  static final String NAME = "torchrun 2.15";

  private final Bench bench;
  private final Path folder;
  private final int port;
  private final List<Child> agents = new ArrayList<>();

  TorchrunAgents(Bench bench) throws IOException {
    this.bench = bench;
    this.folder = bench.folder("torchrun");
    Files.createDirectories(folder.resolve("trace"));
    this.port = freePort();
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  TrainingTrace trace() {
    return new TrainingTrace(folder.resolve("trace"));
  }

  /// Starts one more agent, with one training process.
  Child add(String nodes, boolean snapshots) throws IOException {
    return add(nodes, snapshots, false);
  }

  /// Starts one more agent, with one training process.
  ///
  /// @param views whether gradients stay in the buckets of DDP
  Child add(String nodes, boolean snapshots, boolean views) throws IOException {
    List<String> command =
        List.of(
            bench.torchPython().toString(),
            "-m",
            "torch.distributed.run",
            "--nnodes=" + nodes,
            "--nproc-per-node=1",
            "--max-restarts=100",
            "--rdzv-backend=c10d",
            "--rdzv-id=bench",
            "--rdzv-endpoint=127.0.0.1:" + port,
            "--rdzv-conf=last_call_timeout=1,is_host=" + (agents.isEmpty() ? "1" : "0"),
            "--local-addr=127.0.0.1",
            bench.root().resolve("benchmarks/training/plain.py").toString());
    Map<String, String> environment =
        Map.of(
            "TRACE",
            folder.resolve("trace").toString(),
            "SNAPSHOT",
            snapshots ? folder.resolve("snapshot.pt").toString() : "",
            "VIEWS",
            views ? "1" : "0",
            "TORCH_DISABLE_SHARE_RDZV_TCP_STORE",
            "1",
            "GLOO_SOCKET_IFNAME",
            "lo",
            "OMP_NUM_THREADS",
            "1");
    String name = "agent-" + agents.size();
    Child agent =
        Child.start("torchrun's " + name, command, environment, folder.resolve(name + ".log"));
    agents.add(agent);
    return agent;
  }

  Child agent(int number) {
    return agents.get(number);
  }

  @Override
  public void close() {
    agents.forEach(Child::killTree);
  }
}
