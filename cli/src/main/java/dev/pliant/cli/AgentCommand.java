package dev.pliant.cli;

import dev.pliant.agent.Agent;
import dev.pliant.agent.AgentConfig;
import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.agent.node.AgentFiles;
import dev.pliant.agent.node.NodeEnd;
import dev.pliant.agent.node.TerminationMessage;
import dev.pliant.agent.processes.TrainingProcesses.Printing;
import dev.pliant.cli.log.PlainLogs;
import dev.pliant.cli.python.Imports;
import dev.pliant.cli.python.PythonCommand;
import dev.pliant.model.Elasticity;
import dev.pliant.model.JobId;
import dev.pliant.rpc.MasterLocation;
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
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import sun.misc.Signal;

/// `pliant agent`: the agent of one node, in the foreground, with the node's training processes.
/// Hidden, because the job's master starts it.
@Command(
    name = "agent",
    hidden = true,
    description = {
      "Run a node's agent in the foreground: it speaks to the job's master for the training"
          + " processes of this node, and starts them if a command is given.",
      "",
      "It ends when they have all ended, with 0, or when one fails, with its exit code; SIGTERM has"
          + " them leave their group first. The job's master does this by itself.",
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
  private static final int SECONDS_OF_GRACE = 30;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Spec
  CommandSpec spec;

  @SuppressWarnings("NullAway.Init") // set by picocli
  @Option(
      names = {"--job-dir", "--state"},
      required = true,
      paramLabel = "DIR",
      description =
          "The job's folder, where the master has left its address; with --master a folder of the"
              + " node's own.")
  Path folder;

  @Option(
      names = "--master",
      paramLabel = "HOST:PORT",
      description = "Where the master is (default: as its file in the job's folder says).")
  @Nullable String master;

  @Option(
      names = "--secret",
      paramLabel = "DIR",
      description = "With --master: the folder that has token and ca.pem.")
  @Nullable Path secret;

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
      description =
          "The node's name; its worker has the same, or they are NAME-0, NAME-1 and so on.")
  String node;

  @Option(
      names = "--socket",
      paramLabel = "PATH",
      description =
          "Where training processes find this agent (default: agent.sock in the job's folder).")
  @Nullable Path socket;

  @Option(
      names = "--role",
      paramLabel = "ROLE",
      defaultValue = "worker",
      description = "The node's role (default: ${DEFAULT-VALUE}).")
  String role = "worker";

  @Option(
      names = "--workers",
      paramLabel = "N",
      defaultValue = "1",
      description = "How many training processes to start (default: ${DEFAULT-VALUE}).")
  int workers = 1;

  @Option(
      names = "--elasticity",
      paramLabel = "HOW",
      defaultValue = "none",
      description =
          "How they take a change of their group: none, in-process or restart; auto looks whether"
              + " the script has Pliant's elastic loop (default: ${DEFAULT-VALUE}).")
  String elasticity = "none";

  @Option(
      names = "--max-workers",
      paramLabel = "N",
      description = "The most members that their group may have (default: as --workers).")
  int maxWorkers;

  @Option(
      names = "--host",
      paramLabel = "HOST",
      defaultValue = "${env:PLIANT_POD_IP:-127.0.0.1}",
      description = "Where other nodes reach this one (default: $PLIANT_POD_IP, else 127.0.0.1).")
  String host = "127.0.0.1";

  @Option(
      names = "--grace",
      paramLabel = "SECONDS",
      defaultValue = "" + SECONDS_OF_GRACE,
      description = "How long they may take to leave when told to (default: ${DEFAULT-VALUE}).")
  int grace = SECONDS_OF_GRACE;

  @Option(
      names = "--cgroup",
      paramLabel = "PATH",
      description = "A control group to put them into; may be given several times.")
  List<Path> cgroups = List.of();

  @Option(
      names = "--restarts",
      paramLabel = "N",
      description = "How many failures came before this node (default: 0).")
  int restarts;

  @Option(
      names = "--max-restarts",
      paramLabel = "N",
      description = "How many there may be (default: 0).")
  int maxRestarts;

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
      names = "--print",
      description = "Print what they print, with their names where they are several.")
  boolean print;

  @Option(
      names = "--end-file",
      paramLabel = "FILE",
      description = "Where to write, at the end, what the node ended with; 4,096 bytes at most.")
  @Nullable Path endFile;

  @Option(names = "--with-parent", description = "End when standard input ends.")
  boolean withParent;

  @Parameters(paramLabel = "COMMAND", arity = "0..*", description = "What they run, after '--'.")
  List<String> command = List.of();

  @Override
  public Integer call() throws IOException, InterruptedException {
    PlainLogs.choose();
    AgentConfig config = config();
    if (config.workers().isEmpty()) {
      return serve(config);
    }
    AgentFiles files = new AgentFiles(folder.toAbsolutePath(), node);
    files.began(ProcessHandle.current());
    try {
      NodeEnd end = run(config);
      files.ended(end);
      note(end);
      if (end.code() != 0) {
        spec.commandLine().getErr().println("pliant: node " + node + ": " + end.message());
      }
      return end.code();
    } catch (RuntimeException | IOException e) {
      NodeEnd end = NodeEnd.failed(Faults.FAILED, String.valueOf(e.getMessage()));
      files.ended(end);
      note(end);
      throw e;
    }
  }

  private void note(NodeEnd end) {
    if (endFile != null) {
      TerminationMessage.write(endFile, end);
    }
  }

  /// Speaks for processes that somebody else starts, until a signal ends this one.
  private int serve(AgentConfig config) throws InterruptedException {
    if (withParent) {
      ParentWatch.start();
    }
    Agent agent = Agent.start(config);
    Runtime.getRuntime().addShutdownHook(new Thread(agent::close, "stop"));
    new CountDownLatch(1).await();
    return 0;
  }

  private NodeEnd run(AgentConfig config) throws IOException, InterruptedException {
    try (Agent agent = Agent.start(config)) {
      // In place of the JVM's own way, which would end this process before its work is done.
      for (String signal : List.of("TERM", "INT", "HUP")) {
        Signal.handle(new Signal(signal), _ -> agent.drain());
      }
      if (withParent) {
        ParentWatch.start(agent::drain);
      }
      OrphanWatch.start(folder.toAbsolutePath(), agent::drain);
      return agent.end().get();
    } catch (ExecutionException e) {
      throw new IllegalStateException("the end of a node never fails", e);
    }
  }

  private AgentConfig config() throws IOException {
    JobId id = MasterCommand.job(job, folder);
    Path there = socket == null ? folder.resolve("agent.sock") : socket;
    return new AgentConfig(
        id, node, location(), there, AgentConfig.DEFAULT_LEASE_AHEAD, workersToStart());
  }

  private MasterLocation location() throws IOException {
    if (master == null) {
      return new MasterLocation.MasterFile(folder.toAbsolutePath());
    }
    if (secret == null) {
      throw new ParameterException(
          spec.commandLine(), "--master needs --secret, the folder that has token and ca.pem.");
    }
    Files.createDirectories(folder);
    return new MasterLocation.Mounted(master, secret.toAbsolutePath());
  }

  /// A script with Pliant's elastic loop changes its group by itself; every other is started again
  /// with new ranks. On a cluster only the container has the script to look into.
  private Elasticity elasticity() {
    if (!elasticity.equals("auto")) {
      return Elasticity.of(elasticity);
    }
    boolean inProcess =
        PythonCommand.in(command)
            .map(python -> Imports.of(python, cwd.toAbsolutePath()))
            .map(imports -> imports.elastic() || imports.pliant())
            .orElse(false);
    return inProcess ? Elasticity.IN_PROCESS : Elasticity.RESTART;
  }

  private Printing printing() {
    if (!print) {
      return Printing.QUIET;
    }
    return workers == 1 ? Printing.PLAIN : Printing.NAMED;
  }

  private Optional<Workers> workersToStart() throws IOException {
    if (command.isEmpty()) {
      return Optional.empty();
    }
    check("--workers", workers, 1, Workers.MAX_COUNT);
    check("--max-workers", maxWorkers, 0, Integer.MAX_VALUE);
    check("--grace", grace, 0, 86_400);
    check("--restarts", restarts, 0, Integer.MAX_VALUE);
    check("--max-restarts", maxRestarts, 0, Integer.MAX_VALUE);
    return Optional.of(
        new Workers(
            workers,
            command,
            variables(),
            cwd.toAbsolutePath(),
            logs == null ? folder.toAbsolutePath().resolve("logs") : logs.toAbsolutePath(),
            printing(),
            Path.of(System.getProperty("pliant.home", ""), "python").toAbsolutePath(),
            elasticity(),
            maxWorkers == 0 ? workers : maxWorkers,
            host,
            role,
            Duration.ofSeconds(grace),
            cgroups,
            restarts,
            maxRestarts));
  }

  private void check(String option, int value, int least, int most) {
    if (value < least || value > most) {
      throw new ParameterException(
          spec.commandLine(),
          "%s is %,d; it must be from %,d to %,d.".formatted(option, value, least, most));
    }
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
