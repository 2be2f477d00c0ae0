package dev.pliant.e2e;

import dev.pliant.agent.Agent;
import dev.pliant.agent.AgentConfig;
import dev.pliant.master.Master;
import dev.pliant.master.MasterConfig;
import dev.pliant.model.JobId;
import dev.pliant.rpc.MasterLocation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.Optional;
import java.util.stream.Stream;

/// A real master and a real agent without workers, for the tests of the Python package: prints
/// `socket=PATH`, and when standard input ends it ends, too, and leaves nothing.
public final class TestCluster {
  private TestCluster() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("pliant-cluster");
    try {
      serve(folder);
    } finally {
      remove(folder);
    }
  }

  private static void serve(Path folder) throws Exception {
    JobId job = new JobId("default", "sdk");
    try (Master _ = Master.start(MasterConfig.of(job, folder), InstantSource.system());
        Agent agent =
            Agent.start(
                new AgentConfig(
                    job,
                    "worker-0",
                    new MasterLocation.MasterFile(folder),
                    folder.resolve("agent.sock"),
                    AgentConfig.DEFAULT_LEASE_AHEAD,
                    Optional.empty()))) {
      System.out.println("socket=" + agent.socket());
      while (System.in.read() >= 0) {
        // Until whoever started this closes the pipe.
      }
    }
  }

  private static void remove(Path folder) throws IOException {
    try (Stream<Path> files = Files.walk(folder)) {
      for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(file);
      }
    }
  }
}
