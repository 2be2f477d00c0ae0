package dev.pliant.agent.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.agent.json.JsonReader;
import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(value = 60, unit = TimeUnit.SECONDS)
class SocketServerIT {
  private static final byte[] HELLO =
      "{\"id\":1,\"op\":\"hello\",\"version\":1,\"worker\":\"w\",\"pid\":1}"
          .getBytes(StandardCharsets.UTF_8);

  @TempDir Path folder;
  private Path socket;
  private SocketServer server;
  private final AtomicInteger begun = new AtomicInteger();
  private final AtomicInteger ended = new AtomicInteger();
  private final CompletableFuture<Answer> never = new CompletableFuture<>();

  /// Welcomes everyone, answers `next` never and anything else with a defect.
  private final class Host implements Conversation.Host {
    @Override
    public Conversation begin(Conversation.Peer peer) {
      begun.incrementAndGet();
      return new Conversation() {
        @Override
        public CompletableFuture<Answer> answer(Request request) {
          return switch (request) {
            case Request.Hello(WorkerId worker, long _) ->
                CompletableFuture.completedFuture(new Answer.Welcome("a/b", worker));
            case Request.Bye _ -> CompletableFuture.completedFuture(new Answer.Fine());
            case Request.Next _ -> never;
            default -> CompletableFuture.failedFuture(new IllegalStateException("a defect"));
          };
        }

        @Override
        public void ended() {
          ended.incrementAndGet();
        }
      };
    }
  }

  @BeforeEach
  void start() throws IOException {
    socket = folder.resolve("run/agent.sock");
    server = SocketServer.start(socket, new Host(), 8);
  }

  @AfterEach
  void stop() {
    server.close();
  }

  private SocketChannel connect() throws IOException {
    return SocketChannel.open(UnixDomainSocketAddress.of(socket));
  }

  private static JsonObject receive(SocketChannel channel) throws IOException {
    return JsonReader.read(new FrameReader(channel).read().orElseThrow());
  }

  private static String code(JsonObject answer) {
    return answer.object("error").text("code");
  }

  @Test
  void nobodyElseMayReachIt() throws IOException {
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket)))
        .isEqualTo("rw-------");
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(socket.getParent())))
        .isEqualTo("rwx------");
  }

  @Test
  void folderThatOthersMayEnterIsRefused() throws IOException {
    Path open = Files.createDirectory(folder.resolve("open"));
    Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rwxr-xr-x"));
    assertThatThrownBy(() -> SocketServer.start(open.resolve("s"), new Host()))
        .hasMessageContaining("chmod 700");
  }

  @Test
  void socketOfAnAgentThatIsGoneIsReplacedAndOneThatLivesIsNot() throws IOException {
    assertThatThrownBy(() -> SocketServer.start(socket, new Host()))
        .hasMessageContaining("another agent listens there");
    Path stale = folder.resolve("run/stale.sock");
    try (ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      dead.bind(UnixDomainSocketAddress.of(stale));
    }
    assertThat(stale).exists();
    SocketServer.start(stale, new Host()).close();
    assertThat(stale).doesNotExist();
    Path file = Files.writeString(folder.resolve("run/file"), "precious");
    assertThatThrownBy(() -> SocketServer.start(file, new Host()))
        .hasMessageContaining("this is no socket");
    assertThat(file).hasContent("precious");
  }

  @Test
  void requestThatIsWrongLeavesTheConnectionOpen() throws IOException {
    try (SocketChannel channel = connect()) {
      FrameWriter writer = new FrameWriter(channel);
      writer.write("{\"id\":5,\"op\":\"dance\"}".getBytes(StandardCharsets.UTF_8));
      JsonObject wrong = receive(channel);
      assertThat(wrong.number("id")).isEqualTo(5);
      assertThat(code(wrong)).isEqualTo("BAD_MESSAGE");
      writer.write("{\"id\":6,\"op\":\"checkpoint\"}".getBytes(StandardCharsets.UTF_8));
      assertThat(code(receive(channel))).isEqualTo("INTERNAL");
      writer.write(HELLO);
      assertThat(receive(channel).flag("ok", false)).isTrue();
    }
  }

  @Test
  void frameThatCannotBeReadIsAnsweredAndEndsTheConnection() throws IOException {
    byte[][] bad = {
      {0, 0, 0, 2, '[', ']'},
      {0, 0, 0, 0},
      {(byte) 0xFF, 0, 0, 0},
      {0, 0, 0, 2, '{', '}'},
      {0, 0, 0, 1, (byte) 0x80}
    };
    for (byte[] bytes : bad) {
      try (SocketChannel channel = connect()) {
        channel.write(ByteBuffer.wrap(bytes));
        JsonObject answer = receive(channel);
        assertThat(answer.has("id")).isFalse();
        assertThat(code(answer)).isIn("BAD_MESSAGE", "TOO_MANY");
        assertThat(new FrameReader(channel).read()).isEmpty();
      }
    }
  }

  @Test
  void endOfAProcessIsSeenWhileItWaitsForAnAnswer() throws IOException {
    try (SocketChannel channel = connect()) {
      FrameWriter writer = new FrameWriter(channel);
      writer.write(HELLO);
      receive(channel);
      writer.write("{\"id\":2,\"op\":\"next\",\"dataset\":\"d\"}".getBytes(StandardCharsets.UTF_8));
    }
    await().until(() -> ended.get() == 1);
    never.complete(new Answer.Fine());
  }

  @Test
  void byeIsAnsweredAndTheAgentHangsUp() throws IOException {
    try (SocketChannel channel = connect()) {
      FrameWriter writer = new FrameWriter(channel);
      writer.write(
          "{\"id\":1,\"op\":\"bye\",\"reason\":\"done\"}".getBytes(StandardCharsets.UTF_8));
      assertThat(receive(channel).flag("ok", false)).isTrue();
      assertThat(new FrameReader(channel).read()).isEmpty();
    }
  }

  @Test
  void takesOnlySoManyConnectionsAndMoreWhenSomeHaveGone() throws IOException {
    SocketChannel[] channels = new SocketChannel[8];
    for (int i = 0; i < channels.length; i++) {
      channels[i] = connect();
      new FrameWriter(channels[i]).write(HELLO);
      receive(channels[i]);
    }
    try (SocketChannel tooMany = connect()) {
      assertThat(code(receive(tooMany))).isEqualTo("TOO_MANY");
    }
    for (SocketChannel channel : channels) {
      channel.close();
    }
    await()
        .ignoreExceptionsInstanceOf(IOException.class) // Hung up on before all was written.
        .until(() -> {
          try (SocketChannel again = connect()) {
            new FrameWriter(again).write(HELLO);
            return receive(again).flag("ok", false);
          }
        });
  }

  @Test
  void malformedBytesNeitherCrashNorHang() throws IOException {
    long seed = new SplittableRandom().nextLong();
    System.out.println("SocketServerIT: seed " + seed);
    SplittableRandom chance = new SplittableRandom(seed);
    for (int i = 0; i < 300; i++) {
      try (SocketChannel channel = connect()) {
        byte[] bytes = new byte[chance.nextInt(1, 300)];
        chance.nextBytes(bytes);
        if (chance.nextInt(3) > 0) {
          int length = chance.nextInt(bytes.length);
          ByteBuffer.wrap(bytes.length < 4 ? new byte[4] : bytes).putInt(length);
        }
        channel.write(ByteBuffer.wrap(bytes));
        channel.shutdownOutput();
        FrameReader reader = new FrameReader(channel);
        Optional<byte[]> answer = reader.read();
        while (answer.isPresent()) {
          assertThat(JsonReader.read(answer.get()).flag("ok", true)).isFalse();
          answer = reader.read();
        }
      } catch (IOException _) {
        // Hung up on before all was written.
      }
    }
    await().until(() -> begun.get() == ended.get());
    try (SocketChannel channel = connect()) {
      new FrameWriter(channel).write(HELLO);
      assertThat(receive(channel).flag("ok", false)).isTrue();
    }
  }
}
