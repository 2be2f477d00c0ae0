package dev.pliant.master.platform.kubernetes;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/// The way to an API server, which a test can cut.
final class Wire implements AutoCloseable {
  private final InetSocketAddress target;
  private final Set<Socket> open = ConcurrentHashMap.newKeySet();
  private int port;
  private @Nullable ServerSocket server;

  Wire(URI apiServer) throws IOException {
    target = new InetSocketAddress(apiServer.getHost(), apiServer.getPort());
    mend();
  }

  int port() {
    return port;
  }

  void mend() throws IOException {
    ServerSocket listening = new ServerSocket();
    listening.setReuseAddress(true);
    listening.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    port = listening.getLocalPort();
    server = listening;
    Thread.ofVirtual().start(() -> accept(listening));
  }

  private void accept(ServerSocket listening) {
    while (!listening.isClosed()) {
      try {
        Socket near = listening.accept();
        Socket far = new Socket();
        open.add(near);
        open.add(far);
        far.connect(target);
        carry(near, far);
        carry(far, near);
      } catch (IOException e) {
        return; // Cut.
      }
    }
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

  void cut() throws IOException {
    ServerSocket listening = server;
    if (listening != null) {
      listening.close();
    }
    for (Socket socket : open) {
      socket.close();
    }
    open.clear();
  }

  @Override
  public void close() throws IOException {
    cut();
  }
}
