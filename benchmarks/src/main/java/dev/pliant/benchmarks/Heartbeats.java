package dev.pliant.benchmarks;

import dev.pliant.protocol.v1.HeartbeatRequest;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/// The signs of life an agent sends for its workers. Without them a worker whose turn it is not
/// would be given up, and its shards requeued, in the middle of a measurement.
final class Heartbeats implements AutoCloseable {
  private final ScheduledExecutorService timer =
      Executors.newSingleThreadScheduledExecutor(Thread.ofVirtual().factory());

  Heartbeats(PliantMaster master, List<String> workers) {
    var request = HeartbeatRequest.newBuilder().addAllWorkers(workers).build();
    var _ =
        timer.scheduleAtFixedRate(
            () -> {
              var _ = master.job().heartbeat(request);
            },
            0,
            2,
            TimeUnit.SECONDS);
  }

  @Override
  public void close() {
    timer.shutdownNow();
  }
}
