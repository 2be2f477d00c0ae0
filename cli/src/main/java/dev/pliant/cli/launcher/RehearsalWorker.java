package dev.pliant.cli.launcher;

import dev.pliant.agent.processes.ProcessEnvironment;
import java.io.DataInputStream;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/// What a training process says to its agent, each kind of word once. A process of its own, so that
/// nothing of this side is in the agent's cache.
public final class RehearsalWorker {
  private static final List<String> SHARDS =
      List.of(
          "{'id':2,'op':'dataset','spec':{'name':'d','kind':'table','size':10,'shard_size':10}}",
          "{'id':3,'op':'next','dataset':'d'}",
          "{'id':4,'op':'report','dataset':'d','reports':[{'number':0,'lease':1,'fate':'done'}]}",
          "{'id':5,'op':'flush','dataset':'d'}",
          "{'id':6,'op':'next','dataset':'d'}",
          "{'id':7,'op':'progress','dataset':'d'}");

  private static final List<String> STEPS =
      List.of(
          "{'id':8,'op':'dataset','spec':{'name':'s','kind':'table','size':8,'batch_size':4}}",
          "{'id':9,'op':'settle','dataset':'s'}",
          "{'id':10,'op':'world','after':0,'holds_state':false,'address':'127.0.0.1:1'}",
          "{'id':11,'op':'activity','name':'train'}",
          "{'id':12,'op':'stepped','dataset':'s','epoch':0,'step':0,'world':1,'metrics':{'a':0.5}}",
          "{'id':13,'op':'settle','dataset':'s'}",
          "{'id':14,'op':'checkpoint'}");

  /// It is answered when the world ends, or after a while.
  private static final String WATCH = "{'id':2,'op':'watch','world':1,'seen':0}";

  private static final String BYE = "{'id':15,'op':'bye','reason':'done'}";

  private final SocketChannel channel;
  private final DataInputStream in;
  private final StringBuilder answers = new StringBuilder();

  private RehearsalWorker(SocketChannel channel, String worker) throws IOException {
    this.channel = channel;
    this.in = new DataInputStream(Channels.newInputStream(channel));
    ask(List.of("{'id':1,'op':'hello','version':1,'worker':'%s','pid':1}".formatted(worker)));
  }

  /// Runs as an agent starts it.
  public static void main(String[] arguments) throws IOException {
    Path socket = Path.of(variable(ProcessEnvironment.SOCKET));
    String worker = variable(ProcessEnvironment.WORKER);
    try (SocketChannel channel = open(socket);
        SocketChannel other = open(socket)) {
      RehearsalWorker speaker = new RehearsalWorker(channel, worker);
      RehearsalWorker watcher = new RehearsalWorker(other, worker);
      speaker.ask(SHARDS);
      speaker.ask(STEPS);
      watcher.say(WATCH);
      speaker.ask(List.of(BYE));
      System.out.println(speaker.answers);
    }
  }

  /// Leases a shard and reports it; returns what was answered.
  static String shards(Path socket, String worker) throws IOException {
    try (SocketChannel channel = open(socket)) {
      RehearsalWorker speaker = new RehearsalWorker(channel, worker);
      speaker.ask(SHARDS);
      speaker.ask(List.of(BYE));
      return speaker.answers.toString();
    }
  }

  private static String variable(String name) {
    return Objects.requireNonNull(System.getenv(name), name);
  }

  private static SocketChannel open(Path socket) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    channel.connect(UnixDomainSocketAddress.of(socket));
    return channel;
  }

  private void ask(List<String> requests) throws IOException {
    for (String request : requests) {
      say(request);
      answers.append(new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
    }
  }

  private void say(String request) throws IOException {
    byte[] bytes = request.replace('\'', '"').getBytes(StandardCharsets.UTF_8);
    ByteBuffer frame = ByteBuffer.allocate(4 + bytes.length).putInt(bytes.length).put(bytes);
    channel.write(frame.flip());
  }
}
