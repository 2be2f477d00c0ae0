package dev.pliant.agent;

import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.agent.processes.TrainingProcesses.Printing;
import dev.pliant.model.Elasticity;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/// Training processes as tests want them, below one folder.
public record TestWorkers(
    Path folder,
    int count,
    Elasticity elasticity,
    Map<String, String> environment,
    Duration grace,
    List<Path> cgroups,
    List<String> command) {

  public static TestWorkers of(Path folder, String... command) {
    return new TestWorkers(
        folder, 1, Elasticity.NONE, Map.of(), Duration.ofSeconds(20), List.of(), List.of(command));
  }

  public TestWorkers count(int newCount) {
    return new TestWorkers(folder, newCount, elasticity, environment, grace, cgroups, command);
  }

  public TestWorkers elasticity(Elasticity how) {
    return new TestWorkers(folder, count, how, environment, grace, cgroups, command);
  }

  public TestWorkers environment(Map<String, String> variables) {
    return new TestWorkers(folder, count, elasticity, variables, grace, cgroups, command);
  }

  public TestWorkers grace(Duration newGrace) {
    return new TestWorkers(folder, count, elasticity, environment, newGrace, cgroups, command);
  }

  public TestWorkers cgroups(Path... groups) {
    return new TestWorkers(folder, count, elasticity, environment, grace, List.of(groups), command);
  }

  public TestWorkers command(String... other) {
    return new TestWorkers(folder, count, elasticity, environment, grace, cgroups, List.of(other));
  }

  public Workers workers() {
    return new Workers(
        count,
        command,
        environment,
        folder,
        folder.resolve("logs"),
        Printing.QUIET,
        folder.resolve("python"),
        elasticity,
        8,
        "127.0.0.1",
        "worker",
        grace,
        cgroups,
        1,
        3);
  }
}
