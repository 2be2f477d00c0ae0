package dev.pliant.benchmarks;

import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.stub.ClientCalls;
import io.grpc.stub.StreamObserver;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Agents that meet at DLRover's master as its own do: each joins, then asks for its world until
/// there is one.
final class DlroverAgents {
  /// How long its own agents wait before they ask again.
  static final Duration AS_SHIPPED = Duration.ofSeconds(5);

  private static final int CALL_SECONDS = 60;

  private final List<ManagedChannel> channels;
  private final List<byte[]> joins;
  private final List<byte[]> worlds;

  /// How far they got.
  ///
  /// @param seconds from the first that joins to the last that has a world
  record Outcome(long met, double seconds) {}

  private DlroverAgents(List<ManagedChannel> channels, Path messages) throws IOException {
    this.channels = channels;
    this.joins = read(messages.resolve("joins.bin"));
    this.worlds = read(messages.resolve("worlds.bin"));
  }

  /// Tells a master how many are to come.
  static DlroverAgents make(Bench bench, DlroverMaster master, Channels channels, int count)
      throws IOException, InterruptedException {
    Path messages = bench.folder("dlrover-agents");
    DlroverMaster.makeMessages(bench, "rendezvous.py", messages, List.of(Integer.toString(count)));
    master.report(Files.readAllBytes(messages.resolve("params.bin")));
    return new DlroverAgents(channels.all(), messages);
  }

  /// Has all of them join, and ask until they have a world.
  ///
  /// @param again how long an agent waits before it asks again
  Outcome meet(Duration again, Duration within) throws IOException, InterruptedException {
    try (var meeting = new Meeting(again)) {
      return meeting.run(within);
    }
  }

  /// One time that all of them meet.
  private final class Meeting implements AutoCloseable {
    private final Duration again;
    private final CountDownLatch met = new CountDownLatch(joins.size());
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor();
    private volatile long lastNanos = System.nanoTime();

    Meeting(Duration again) {
      this.again = again;
    }

    Outcome run(Duration within) throws IOException, InterruptedException {
      long from = System.nanoTime();
      for (int i = 0; i < joins.size(); i++) {
        join(i);
      }
      var _ = met.await(within.toMillis(), TimeUnit.MILLISECONDS);
      Throwable why = failure.get();
      if (why != null && met.getCount() == joins.size()) {
        throw new IOException("DLRover's rendezvous failed: " + why, why);
      }
      return new Outcome(joins.size() - met.getCount(), (lastNanos - from) / 1e9);
    }

    @Override
    public void close() {
      timer.shutdownNow();
    }

    private void join(int agent) {
      call(agent, joins.get(agent), _ -> ask(agent));
    }

    private void ask(int agent) {
      call(
          agent,
          worlds.get(agent),
          answer -> {
            if (answer.length > joins.size()) {
              // A world names every member, in more than a byte each; without one there is none.
              lastNanos = System.nanoTime();
              met.countDown();
            } else {
              later(() -> ask(agent));
            }
          });
    }

    private void later(Runnable what) {
      if (!timer.isShutdown()) {
        var _ = timer.schedule(what, again.toMillis(), TimeUnit.MILLISECONDS);
      }
    }

    private interface Heard {
      void answer(byte[] message);
    }

    private void call(int agent, byte[] request, Heard heard) {
      ClientCalls.asyncUnaryCall(
          channels
              .get(agent % channels.size())
              .newCall(
                  DlroverMessages.GET,
                  CallOptions.DEFAULT.withDeadlineAfter(CALL_SECONDS, TimeUnit.SECONDS)),
          request,
          new StreamObserver<>() {
            @Override
            public void onNext(byte[] message) {
              heard.answer(message);
            }

            @Override
            public void onError(Throwable error) {
              failure.compareAndSet(null, error);
              later(() -> call(agent, request, heard));
            }

            @Override
            public void onCompleted() {}
          });
    }
  }

  private static List<byte[]> read(Path file) throws IOException {
    List<byte[]> messages = new ArrayList<>();
    try (var in = new DataInputStream(new java.io.ByteArrayInputStream(Files.readAllBytes(file)))) {
      while (in.available() > 0) {
        messages.add(in.readNBytes(in.readInt()));
      }
    }
    return messages;
  }
}
