package dev.pliant.cli;

import dev.pliant.agent.Agent;
import dev.pliant.agent.AgentConfig;
import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.agent.WorkersResult;
import dev.pliant.agent.master.MasterLocation;
import dev.pliant.cli.run.WorkerEnds;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `pliant agent`: the relay of one node, in the foreground, with the node's training processes.
/// Hidden, because `pliant run` starts it.
@Command(
    name = "agent",
    hidden = true,
    description = {
      "Run a node's agent in the foreground: it speaks to the job's master for the training"
          + " processes of this node, and starts them if a command is given.",
      "",
      "It ends when they have all ended. 'pliant run' does this by itself.",
    },
    footer = {
      "",
      "Examples:",
      "  Serve processes that somebody else starts:",
      "    $ pliant agent --job-dir DIR --node a --socket /tmp/a.sock",
      "  Start two workers:",
      "    $ pliant agent --job-dir DIR --node a --socket /tmp/a.sock --workers 2 -- python3 count.py",
    })
final class AgentCommand implements Callable<Integer> {
  private static final Duration LOOK = Duration.ofMillis(100);

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = "--job-dir",
      required = true,
      paramLabel = "DIR",
      description = "The job's folder, where the master has left its address.")
  Path folder;

  @Option(
      names = "--job",
      paramLabel = "NAMESPACE/NAME",
      description = "The job (default: as the folder's last two names).")
  @Nullable String job;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = "--node",
      required = true,
      paramLabel = "NAME",
      description = "The node's name; its workers are NAME-0, NAME-1 and so on.")
  String node;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = "--socket",
      required = true,
      paramLabel = "PATH",
      description = "Where training processes find this agent.")
  Path socket;

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many training processes to start (default: ${DEFAULT-VALUE}).")
  int workers = 1;

  @Option(names = "--cwd", paramLabel = "DIR", description = "Where they run (default: here).")
  Path cwd = Path.of("");

  @Option(
      names = "--logs",
      paramLabel = "DIR",
      description = "Where what they print is kept (default: logs in the job's folder).")
  @Nullable Path logs;

  @Option(
      names = "--env-file",
      paramLabel = "FILE",
      description = "Variables for them, as Java properties.")
  @Nullable Path environment;

  @Option(
      names = "--ends",
      paramLabel = "FILE",
      description = "Where to note each one's end: its name and exit code, one line each.")
  @Nullable Path ends;

  @Option(names = "--with-parent", description = "End when standard input ends.")
  boolean withParent;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "What they run, after '--'.")
  List<String> command = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    if (withParent) {
      ParentWatch.start();
    }
    AgentConfig config = config();
    Agent agent = Agent.start(config);
    Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "stop"));
    if (config.workers().isEmpty()) {
      new CountDownLatch(1).await(); // Until a signal ends the process.
    }
    boolean succeeded = follow(agent);
    agent.close();
    return succeeded ? 0 : Faults.FAILED;
  }

  /// Waits for all workers, and notes each one that has ended.
  private boolean follow(Agent agent) throws IOException, InterruptedException {
    WorkerEnds noted = ends == null ? WorkerEnds.NOWHERE : WorkerEnds.in(ends);
    WorkersResult result;
    do {
      result = agent.awaitWorkers(LOOK);
      noted.note(result.exitCodes());
    } while (!result.ended());
    return result.succeeded();
  }

  private AgentConfig config() throws IOException {
    JobId id = MasterCommand.job(job, folder);
    MasterLocation master = new MasterLocation.MasterFile(folder.toAbsolutePath());
    return new AgentConfig(
        id, node, master, socket, AgentConfig.DEFAULT_LEASE_AHEAD, workersToStart());
  }

  private Optional<Workers> workersToStart() throws IOException {
    if (command.isEmpty()) {
      return Optional.empty();
    }
    if (workers < 1 || workers > Workers.MAX_COUNT) {
      throw new ParameterException(
          spec.commandLine(),
          "--workers is %,d; it must be from 1 to %,d.".formatted(workers, Workers.MAX_COUNT));
    }
    return Optional.of(
        new Workers(
            workers,
            command,
            variables(),
            cwd.toAbsolutePath(),
            logs == null ? folder.toAbsolutePath().resolve("logs") : logs.toAbsolutePath(),
            Path.of(System.getProperty("pliant.home", ""), "python").toAbsolutePath()));
  }

  private Map<String, String> variables() throws IOException {
    Map<String, String> variables = new TreeMap<>();
    if (environment != null) {
      Properties properties = new Properties();
      try (Reader reader = Files.newBufferedReader(environment)) {
        properties.load(reader);
      }
      properties.forEach((name, value) -> variables.put((String) name, (String) value));
    }
    return variables;
  }
}
