package dev.pliant.agent;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.agent.json.JsonReader;
import dev.pliant.agent.socket.FrameReader;
import dev.pliant.agent.socket.FrameWriter;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/// A training script's end of the socket.
final class ScriptClient implements AutoCloseable {
  private final SocketChannel channel;
  private final FrameReader reader;
  private final FrameWriter writer;
  private long id;

  /// Connects and says hello.
  static ScriptClient connect(Path socket, String worker) throws IOException {
    ScriptClient client = new ScriptClient(socket);
    JsonObject welcome =
        client.ask("\"op\":\"hello\",\"version\":1,\"pid\":1,\"worker\":\"%s\"", worker);
    if (!welcome.flag("ok", false)) {
      throw new IOException(error(welcome));
    }
    return client;
  }

  ScriptClient(Path socket) throws IOException {
    channel = SocketChannel.open(UnixDomainSocketAddress.of(socket));
    reader = new FrameReader(channel);
    writer = new FrameWriter(channel);
  }

  /// Asks and waits for the answer.
  JsonObject ask(String fields, Object... arguments) throws IOException {
    send(fields, arguments);
    return receive();
  }

  void send(String fields, Object... arguments) throws IOException {
    String json = "{\"id\":" + ++id + "," + fields.formatted(arguments) + "}";
    writer.write(json.getBytes(StandardCharsets.UTF_8));
  }

  JsonObject receive() throws IOException {
    JsonObject answer =
        JsonReader.read(reader.read().orElseThrow(() -> new IOException("the agent hung up")));
    if (answer.has("id") && answer.number("id") != id) {
      throw new IOException("answer to " + answer.number("id") + " instead of " + id);
    }
    return answer;
  }

  JsonObject createTable(String name, long size, long shardSize) throws IOException {
    return ask(
        "\"op\":\"dataset\",\"spec\":{\"name\":\"%s\",\"kind\":\"table\",\"size\":%d,\"shard_size\":%d}",
        name, size, shardSize);
  }

  JsonObject next(String dataset) throws IOException {
    return ask("\"op\":\"next\",\"dataset\":\"%s\"", dataset);
  }

  JsonObject report(String dataset, JsonObject shard, String fate) throws IOException {
    return ask(
        "\"op\":\"report\",\"dataset\":\"%s\",\"reports\":[{\"number\":%d,\"lease\":%d,\"fate\":\"%s\"}]",
        dataset, shard.number("number"), shard.number("lease"), fate);
  }

  JsonObject flush(String dataset) throws IOException {
    return ask("\"op\":\"flush\",\"dataset\":\"%s\"", dataset);
  }

  JsonObject bye(String reason) throws IOException {
    return ask("\"op\":\"bye\",\"reason\":\"%s\",\"message\":\"as the test wants it\"", reason);
  }

  static String error(JsonObject answer) {
    JsonObject error = answer.object("error");
    return error.text("code") + ": " + error.text("message");
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
