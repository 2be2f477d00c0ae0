package dev.pliant.master.platform.kubernetes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.HashSet;
import java.util.Set;

/// The way to an API server, which a test can cut: whoever comes meanwhile is hung up on. Its port
/// stays its own.
final class Wire implements AutoCloseable {
  private final InetSocketAddress target;
  private final ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
  private final Set<Socket> open = new HashSet<>();
  private boolean whole = true;

  Wire(URI apiServer) throws IOException {
    target = new InetSocketAddress(apiServer.getHost(), apiServer.getPort());
    Thread.ofVirtual().start(this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        connect(server.accept());
      } catch (IOException e) {
        // Closed, or the API server is away in earnest.
      }
    }
  }

  private synchronized void connect(Socket near) throws IOException {
    if (!whole) {
      near.close();
      return;
    }
    Socket far = new Socket();
    open.add(near);
    open.add(far);
    far.connect(target);
    carry(near, far);
    carry(far, near);
  }

  private void carry(Socket from, Socket to) {
    Thread.ofVirtual()
        .start(() -> {
          try (from;
              to;
              InputStream in = from.getInputStream();
              OutputStream out = to.getOutputStream()) {
            in.transferTo(out);
          } catch (IOException e) {
            // The other side is closed with this one.
          }
        });
  }

  synchronized void cut() throws IOException {
    whole = false;
    for (Socket socket : open) {
      socket.close();
    }
    open.clear();
  }

  synchronized void mend() {
    whole = true;
  }

  @Override
  public void close() throws IOException {
    server.close();
    cut();
  }
}
