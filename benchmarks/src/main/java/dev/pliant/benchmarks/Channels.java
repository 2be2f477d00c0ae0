package dev.pliant.benchmarks;

import io.grpc.ManagedChannel;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/// A few connections to one server, closed together.
final class Channels implements AutoCloseable {
  private final List<ManagedChannel> channels = new ArrayList<>();

  /// Makes one connection.
  interface Connect {
    ManagedChannel channel() throws IOException;
  }

  Channels(int count, Connect connect) throws IOException {
    for (int i = 0; i < count; i++) {
      channels.add(connect.channel());
    }
  }

  List<ManagedChannel> all() {
    return List.copyOf(channels);
  }

  @Override
  public void close() {
    channels.forEach(ManagedChannel::shutdownNow);
  }
}
