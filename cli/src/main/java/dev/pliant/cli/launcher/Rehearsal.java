package dev.pliant.cli.launcher;

import dev.pliant.agent.Agent;
import dev.pliant.agent.AgentConfig;
import dev.pliant.agent.master.MasterConnection;
import dev.pliant.agent.master.MasterLocation;
import dev.pliant.cli.Main;
import dev.pliant.cli.jobs.JobClient;
import dev.pliant.crds.JobFile;
import dev.pliant.master.Master;
import dev.pliant.master.MasterConfig;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.GetJobResponse;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/// Goes once through what a kind of process does, so that the JVM's AOT cache knows the classes it
/// needs, and no others: all that is in a cache costs time at every start. The launcher runs it
/// with `-XX:AOTCacheOutput`.
///
/// Arguments: the kind (`commands`, `master`, `agent` or `cluster`) and a folder to make.
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

  /// What a worker says to its agent, in this order.
  private static final List<String> CONVERSATION =
      List.of(
          "{'id':1,'op':'hello','version':1,'worker':'rehearsal-0','pid':1}",
          "{'id':2,'op':'dataset','spec':{'name':'d','kind':'table','size':10,'shard_size':10}}",
          "{'id':3,'op':'next','dataset':'d'}",
          "{'id':4,'op':'report','dataset':'d','reports':[{'number':0,'lease':1,'fate':'done'}]}",
          "{'id':5,'op':'flush','dataset':'d'}",
          "{'id':6,'op':'next','dataset':'d'}",
          "{'id':7,'op':'progress','dataset':'d'}",
          "{'id':8,'op':'bye','reason':'done'}");

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
          case "master" -> master(folder);
          case "agent" -> agent(folder);
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

  /// With a master that is another process, so that its classes stay out.
  static String agent(Path folder) throws IOException, InterruptedException {
    int unused = Main.execute("agent", "--help") + Main.execute("run", "no-such-file.yaml");
    var unusedJob = JobFile.parse("rehearsal.yaml", JOB_FILE);
    Process master =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                Main.class.getName(),
                "master",
                "--with-parent",
                "--job-dir",
                folder.toString(),
                "--job",
                JOB.toString())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      long end = System.nanoTime() + BOUND.toNanos();
      while (!Files.exists(folder.resolve("master.json"))) {
        if (!master.isAlive() || System.nanoTime() - end > 0) {
          throw new IOException("the master of the rehearsal did not come up in " + folder);
        }
        TimeUnit.MILLISECONDS.sleep(20);
      }
      return serveAWorker(folder) + look(folder);
    } finally {
      master.destroy();
      if (!master.waitFor(BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
        master.destroyForcibly();
      }
    }
  }

  /// As the commands do that look at a job from outside.
  private static String look(Path folder) {
    int unused =
        Main.execute("get", "--help")
            + Main.execute("scale", "--help")
            + Main.execute("get", "--namespace", "no-such-namespace")
            + Main.execute("describe", "no-such-namespace/rehearsal");
    try (JobClient client = new JobClient(folder)) {
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
      String answers = converse(agent.socket());
      GetJobResponse job = master.jobs(BOUND).getJob(GetJobRequest.getDefaultInstance());
      return "%s%n%d dataset%n".formatted(answers, job.getDatasetsCount());
    } finally {
      Files.deleteIfExists(socket);
      Files.deleteIfExists(elsewhere);
    }
  }

  private static String converse(Path socket) throws IOException {
    StringBuilder answers = new StringBuilder();
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
      for (String request : CONVERSATION) {
        byte[] bytes = request.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes);
        channel.write(frame.flip());
        answers.append(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
      }
    }
    return answers.toString();
  }
}
