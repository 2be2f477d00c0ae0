package dev.pliant.benchmarks;

import dev.pliant.cli.run.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// An agent of Pliant in a process of its own, started as the platform `local` starts it, with one
/// training process.
final class PliantAgent implements AutoCloseable {
  private final Child child;
  private final Path ready;
  private final Path elsewhere;

  private PliantAgent(Child child, Path ready, Path elsewhere) {
    this.child = child;
    this.ready = ready;
    this.elsewhere = elsewhere;
  }

  /// Starts one.
  ///
  /// @param folder the job's folder
  /// @param node the node's name, another one each time
  /// @param elasticity as `--elasticity` takes it
  /// @param training the training process's command; the name of the file that it writes once it is
  ///   ready is added
  static PliantAgent start(Path folder, String node, String elasticity, List<String> training)
      throws IOException {
    Path ready = folder.resolve(node + ".ready");
    Path elsewhere = Files.createTempDirectory("pliant-"); // A socket's path must be short.
    var arguments =
        new ArrayList<>(
            List.of("agent", "--job-dir", folder.toString(), "--job", "bench", "--node", node));
    arguments.addAll(List.of("--socket", elsewhere.resolve("s").toString()));
    arguments.addAll(List.of("--elasticity", elasticity, "--"));
    arguments.addAll(training);
    arguments.add(ready.toString());
    Child child =
        Child.start(
            "Pliant's agent",
            ChildJvm.command(ChildJvm.Kind.AGENT, arguments),
            Map.of("MALLOC_ARENA_MAX", "1"),
            folder.resolve(node + ".out"));
    return new PliantAgent(child, ready, elsewhere);
  }

  Child child() {
    return child;
  }

  /// Waits until the training process is ready; returns the milliseconds since the agent's start.
  double awaitReady(Duration timeout) throws IOException, InterruptedException {
    var _ = child.await(ready, timeout);
    return (System.nanoTime() - child.startedNanos()) / 1e6;
  }

  @Override
  public void close() throws IOException {
    child.close();
    Folders.delete(elsewhere);
  }
}
