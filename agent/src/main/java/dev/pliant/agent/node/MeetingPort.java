package dev.pliant.agent.node;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/// A port for a group of plain scripts to meet at, should their rank 0 be on this node. It is held
/// from the moment it is offered to the moment the scripts start, and lies below the ports that the
/// system gives to outgoing connections, so that nobody takes it in between by accident.
final class MeetingPort implements AutoCloseable {
  private static final Path EPHEMERAL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final int DEFAULT_FIRST_EPHEMERAL = 32_768;
  private static final int RANGE = 12_000;
  private static final int LOWEST = 2_000;
  private static final int TRIES = 100;

  private final RandomGenerator chance;
  private final int end = firstEphemeral();
  private @Nullable ServerSocket held;

  MeetingPort(RandomGenerator chance) {
    this.chance = chance;
  }

  /// Holds another port.
  int take() throws IOException {
    close();
    int start = Math.max(LOWEST, end - RANGE);
    for (int i = 0; start < end && i < TRIES; i++) {
      ServerSocket socket = new ServerSocket();
      try {
        socket.setReuseAddress(true);
        socket.bind(new InetSocketAddress(start + chance.nextInt(end - start)));
        held = socket;
        return socket.getLocalPort();
      } catch (IOException _) {
        socket.close(); // Somebody has it.
      }
    }
    ServerSocket any = new ServerSocket(0);
    held = any;
    return any.getLocalPort();
  }

  /// Lets go of the port, for the scripts to have it.
  @Override
  public void close() throws IOException {
    if (held != null) {
      held.close();
      held = null;
    }
  }

  private static int firstEphemeral() {
    try {
      return Integer.parseInt(Files.readString(EPHEMERAL).strip().split("\\s+")[0]);
    } catch (IOException | NumberFormatException _) {
      return DEFAULT_FIRST_EPHEMERAL;
    }
  }
}
