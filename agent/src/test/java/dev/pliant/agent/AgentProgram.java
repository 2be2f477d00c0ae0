package dev.pliant.agent;

import dev.pliant.model.JobId;
import dev.pliant.rpc.MasterLocation;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;

/// An agent as a program of its own, for one that is really killed. Arguments: a folder, then the
/// command of its two training processes.
final class AgentProgram {
  private AgentProgram() {}

  static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    String[] command = Arrays.copyOfRange(arguments, 1, arguments.length);
    Agent agent =
        Agent.start(
            new AgentConfig(
                new JobId("default", "test"),
                "node",
                new MasterLocation.MasterFile(folder),
                folder.resolve("run/agent.sock"),
                8,
                Optional.of(TestWorkers.of(folder, command).count(2).workers())));
    System.exit(agent.end().get().code());
  }
}
