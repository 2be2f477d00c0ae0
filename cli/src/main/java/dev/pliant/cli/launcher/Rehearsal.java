package dev.pliant.cli.launcher;

import dev.pliant.agent.Agent;
import dev.pliant.agent.AgentConfig;
import dev.pliant.agent.master.MasterConnection;
import dev.pliant.agent.master.MasterLocation;
import dev.pliant.cli.Main;
import dev.pliant.crds.JobFile;
import dev.pliant.master.Master;
import dev.pliant.master.MasterConfig;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.GetJobRequest;
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

/// Goes once through what users do, so that the JVM's AOT cache knows the classes they need: quick
/// commands, and a master and an agent that serve a worker. The launcher runs it with
/// `-XX:AOTCacheOutput` and an empty folder as argument.
public final class Rehearsal {
  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("version"),
          List.of("version", "-o", "json"),
          List.of("--help"),
          List.of("run", "--help"),
          List.of("run", "no-such-file.yaml"),
          List.of("master", "--help"),
          List.of("agent", "--help"),
          List.of("completion", "bash"),
          List.of("no-such-command"));

  /// What a worker says to its agent, in this order.
  private static final List<String> CONVERSATION =
      List.of(
          "{\"id\":1,\"op\":\"hello\",\"version\":1,\"worker\":\"rehearsal-0\",\"pid\":1}",
          "{\"id\":2,\"op\":\"dataset\",\"spec\":{\"name\":\"d\",\"kind\":\"table\",\"size\":10,\"shard_size\":10}}",
          "{\"id\":3,\"op\":\"next\",\"dataset\":\"d\"}",
          "{\"id\":4,\"op\":\"report\",\"dataset\":\"d\",\"reports\":[{\"number\":0,\"lease\":1,\"fate\":\"done\"}]}",
          "{\"id\":5,\"op\":\"flush\",\"dataset\":\"d\"}",
          "{\"id\":6,\"op\":\"next\",\"dataset\":\"d\"}",
          "{\"id\":7,\"op\":\"progress\",\"dataset\":\"d\"}",
          "{\"id\":8,\"op\":\"bye\",\"reason\":\"done\"}");

  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: rehearsal}
      spec:
        replicaSpecs:
          worker: {replicas: 2, template: {spec: {containers: [{name: main, command: [x]}]}}}
      """;

  private Rehearsal() {}

  public static void main(String[] arguments) throws IOException {
    PrintStream out = System.out;
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    for (List<String> command : COMMANDS) {
      int unused = Main.execute(command.toArray(String[]::new));
    }
    var unusedJob = JobFile.parse("rehearsal.yaml", JOB);
    String said = serve(Path.of(arguments[0]));
    out.println(said);
    System.exit(0); // As the command does: leaving takes classes, too.
  }

  /// Twice, because a master that finds a journal does other things than the first one.
  static String serve(Path folder) throws IOException {
    StringBuilder said = new StringBuilder();
    for (int i = 0; i < 2; i++) {
      JobId job = new JobId("default", "rehearsal");
      MasterConfig config = MasterConfig.of(job, folder);
      MasterLocation location = new MasterLocation.MasterFile(folder);
      Path elsewhere = Files.createTempDirectory("pliant-"); // A socket's path must be short.
      Path socket = elsewhere.resolve("s");
      try (Master master = Master.start(config, InstantSource.system());
          MasterConnection connection = new MasterConnection(location);
          Agent agent =
              Agent.start(
                  new AgentConfig(job, "rehearsal", location, socket, 8, Optional.empty()))) {
        said.append("epoch ").append(master.epoch()).append(": ");
        said.append(converse(agent.socket())).append('\n');
        said.append(
            connection
                .jobs(Duration.ofSeconds(10))
                .getJob(GetJobRequest.getDefaultInstance())
                .getDatasetsCount());
        said.append(" dataset\n");
      } finally {
        Files.deleteIfExists(socket);
        Files.deleteIfExists(elsewhere);
      }
    }
    return said.toString();
  }

  /// Says everything and returns the answers, which nobody checks but a test.
  private static String converse(Path socket) throws IOException {
    StringBuilder answers = new StringBuilder();
    try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      channel.connect(UnixDomainSocketAddress.of(socket));
      DataInputStream in = new DataInputStream(Channels.newInputStream(channel));
      for (String request : CONVERSATION) {
        byte[] bytes = request.getBytes(StandardCharsets.UTF_8);
        ByteBuffer frame = ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes);
        channel.write(frame.flip());
        answers.append(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
      }
    }
    return answers.toString();
  }
}
