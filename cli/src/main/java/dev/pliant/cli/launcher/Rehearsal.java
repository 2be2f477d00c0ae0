package dev.pliant.cli.launcher;

import dev.pliant.agent.Agent;
import dev.pliant.agent.AgentConfig;
import dev.pliant.cli.Main;
import dev.pliant.cli.jobs.JobClient;
import dev.pliant.crds.JobFile;
import dev.pliant.master.Master;
import dev.pliant.master.MasterConfig;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;

/// Goes once through what a kind of process does, so that the JVM's AOT cache knows the classes it
/// needs, and no others: all that is in a cache costs time at every start. The launcher runs it
/// with `-XX:AOTCacheOutput`.
///
/// Arguments: the kind (`commands`, `jobs`, `master` or `cluster`) and a folder to make. An agent's
/// has a class path of its own: [AgentRehearsal].
public final class Rehearsal {
  private static final Duration BOUND = Duration.ofSeconds(60);
  private static final JobId JOB = new JobId("default", "rehearsal");

  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("version"),
          List.of("version", "-o", "json"),
          List.of("--help"),
          List.of("run", "--help"),
          List.of("run", "no-such-file.yaml"),
          List.of("logs", "--help"),
          List.of("events", "--help"),
          List.of("completion", "bash"),
          List.of("no-such-command"));

  private static final String JOB_FILE =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: rehearsal}
      spec:
        replicaSpecs:
          worker: {replicas: 2, template: {spec: {containers: [{name: main, command: [x]}]}}}
      """;

  private Rehearsal() {}

  public static void main(String[] arguments) throws IOException, InterruptedException {
    PrintStream out = System.out;
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    Path folder = Path.of(arguments[1]);
    String said =
        switch (arguments[0]) {
          case "commands" -> commands();
          case "jobs" -> jobs(folder);
          case "master" -> master(folder);
          case "cluster" -> ClusterRehearsal.commands(folder);
          default -> throw new IllegalArgumentException("no such kind: " + arguments[0]);
        };
    out.println(said);
    System.exit(0); // As the command does: leaving takes classes, too.
  }

  static String commands() {
    StringBuilder said = new StringBuilder("commands:");
    for (List<String> command : COMMANDS) {
      said.append(' ').append(Main.execute(command.toArray(String[]::new)));
    }
    return said.toString();
  }

  /// Twice, because a master that finds a journal does other things than the first one.
  static String master(Path folder) throws IOException {
    StringBuilder said = new StringBuilder();
    for (int i = 0; i < 2; i++) {
      try (Master master = Master.start(MasterConfig.of(JOB, folder), InstantSource.system())) {
        said.append("epoch %d: ".formatted(master.epoch())).append(serveAWorker(folder));
      }
    }
    int unused = Main.execute("master", "--help");
    return said.toString();
  }

  /// The commands that look at a job, or change it, by its master.
  static String jobs(Path folder) throws IOException, InterruptedException {
    int unused =
        Main.execute("run", "no-such-file.yaml")
            + Main.execute("get", "--help")
            + Main.execute("scale", "--help")
            + Main.execute("get", "--namespace", "no-such-namespace")
            + Main.execute("describe", "no-such-namespace/rehearsal");
    var unusedJob = JobFile.parse("rehearsal.yaml", JOB_FILE);
    try (RehearsalMaster unusedMaster =
            RehearsalMaster.start(System.getProperty("java.class.path"), JOB, folder);
        JobClient client = new JobClient(folder)) {
      return client.get(BOUND).map(job -> "%s%n".formatted(job.phase())).orElse("no master");
    }
  }

  private static String serveAWorker(Path folder) throws IOException {
    MasterLocation location = new MasterLocation.MasterFile(folder);
    Path elsewhere = Files.createTempDirectory("pliant-"); // A socket's path must be short.
    Path socket = elsewhere.resolve("s");
    AgentConfig config = new AgentConfig(JOB, "rehearsal", location, socket, 8, Optional.empty());
    try (Agent agent = Agent.start(config);
        MasterConnection master = new MasterConnection(location)) {
      String answers = RehearsalWorker.shards(agent.socket(), "rehearsal-0");
      GetJobResponse job = master.jobs(BOUND).getJob(GetJobRequest.getDefaultInstance());
      return "%s%n%d dataset%n".formatted(answers, job.getDatasetsCount());
    } finally {
      Files.deleteIfExists(socket);
      Files.deleteIfExists(elsewhere);
    }
  }
}
