package dev.pliant.agent.socket;

import dev.pliant.model.ErrorCode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Listens on the node's socket: a virtual thread a connection, at most [#MAX_CONNECTIONS] of them.
public final class SocketServer implements AutoCloseable {
  public static final int MAX_CONNECTIONS = 1_024;

  private static final Logger log = LoggerFactory.getLogger(SocketServer.class);

  /// After a failed accept, for instance without free file descriptors.
  private static final long ACCEPT_PAUSE_MILLIS = 100;

  private final Path socket;
  private final ServerSocketChannel server;
  private final Conversation.Host host;
  private final int maxConnections;
  private final AtomicLong ids = new AtomicLong();
  private final Map<Long, SocketConnection> connections = new ConcurrentHashMap<>();
  private volatile boolean accepting = true;

  private SocketServer(
      Path socket, ServerSocketChannel server, Conversation.Host host, int maxConnections) {
    this.socket = socket;
    this.server = server;
    this.host = host;
    this.maxConnections = maxConnections;
  }

  /// Listens at `socket`, with [SocketFile]'s care for the file.
  public static SocketServer start(Path socket, Conversation.Host host) throws IOException {
    return start(socket, host, MAX_CONNECTIONS);
  }

  static SocketServer start(Path socket, Conversation.Host host, int maxConnections)
      throws IOException {
    SocketFile.prepare(socket);
    ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      server.bind(UnixDomainSocketAddress.of(socket), maxConnections);
      SocketFile.restrict(socket);
    } catch (IOException | RuntimeException e) {
      server.close();
      throw e;
    }
    SocketServer started = new SocketServer(socket, server, host, maxConnections);
    Thread.ofVirtual().name("pliant-socket").start(started::accept);
    return started;
  }

  public Path socket() {
    return socket;
  }

  /// Takes no new connections; those that are there go on.
  public synchronized void stopAccepting() {
    if (!accepting) {
      return; // The path may be another agent's by now.
    }
    accepting = false;
    try {
      server.close();
      Files.deleteIfExists(socket);
    } catch (IOException e) {
      log.warn("the socket {} could not be removed: {}", socket, e.toString());
    }
  }

  /// Stops, and ends every connection.
  @Override
  public void close() {
    stopAccepting();
    connections.values().forEach(SocketConnection::disconnect);
  }

  private void accept() {
    while (accepting) {
      try {
        take(server.accept());
      } catch (ClosedChannelException _) {
        return;
      } catch (IOException | RuntimeException e) {
        log.warn("a connection could not be taken: {}", e.toString());
        if (!pause()) {
          return;
        }
      }
    }
  }

  private void take(SocketChannel channel) throws IOException {
    if (connections.size() >= maxConnections) {
      try (channel) {
        new FrameWriter(channel)
            .write(
                AnswerWriter.write(
                    null,
                    new Answer.Wrong(
                        ErrorCode.TOO_MANY,
                        "the agent has %,d connections and takes no more; close some."
                            .formatted(maxConnections))));
      }
      return;
    }
    long id = ids.incrementAndGet();
    SocketConnection connection = new SocketConnection(id, channel, host);
    connections.put(id, connection);
    Thread.ofVirtual()
        .name("pliant-connection-" + id)
        .start(() -> {
          try {
            connection.run();
          } finally {
            connections.remove(id);
          }
        });
    if (!accepting) {
      connection.disconnect();
    }
  }

  private static boolean pause() {
    try {
      Thread.sleep(ACCEPT_PAUSE_MILLIS);
      return true;
    } catch (InterruptedException _) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
