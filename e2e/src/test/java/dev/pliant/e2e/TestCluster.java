package dev.pliant.e2e;

import dev.pliant.agent.Agent;
import dev.pliant.agent.AgentConfig;
import dev.pliant.agent.master.MasterLocation;
import dev.pliant.master.Master;
import dev.pliant.master.MasterConfig;
import dev.pliant.model.JobId;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Optional;

/// A real master and a real agent without workers, for the tests of the Python package: prints
/// `socket=PATH` and ends when standard input does.
public final class TestCluster {
  private TestCluster() {}

  public static void main(String[] arguments) throws Exception {
    Path folder = Files.createTempDirectory("pliant-cluster");
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
}
