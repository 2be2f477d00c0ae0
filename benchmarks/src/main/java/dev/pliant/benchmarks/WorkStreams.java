package dev.pliant.benchmarks;

import dev.pliant.protocol.v1.DataServiceGrpc;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkOpen;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import io.grpc.ManagedChannel;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;

/// Drives worker streams: each message reports what the answer before it leased and asks for as
/// much again. A shard counts when the answer to its report is in, which is when it is on disk.
final class WorkStreams {
  /// Shards asked for in a message.
  static final int BATCH = 64;

  private static final Duration RAMP = Duration.ofMillis(500);
  private static final Duration DRAIN = Duration.ofSeconds(30);

  private final String dataset;
  private final CountDownLatch finished;
  private final List<Stream> streams = new ArrayList<>();
  private final LongAdder done = new LongAdder();
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean stopping;

  private WorkStreams(List<ManagedChannel> channels, String dataset) {
    this.dataset = dataset;
    this.finished = new CountDownLatch(channels.size());
    for (int i = 0; i < channels.size(); i++) {
      streams.add(new Stream(worker(i)));
    }
  }

  /// The name of the worker of a stream.
  static String worker(int number) {
    return "stream-" + number;
  }

  /// A stream on each connection, so many messages under way on each, for a time.
  static Load forTime(List<ManagedChannel> channels, String dataset, int outstanding, Duration time)
      throws IOException, InterruptedException {
    var driver = new WorkStreams(channels, dataset);
    driver.open(channels, outstanding, time.plus(DRAIN).plus(RAMP));
    var _ = driver.finished.await(RAMP.toMillis(), TimeUnit.MILLISECONDS);
    long before = driver.done.sum();
    long from = System.nanoTime();
    var _ = driver.finished.await(time.toMillis(), TimeUnit.MILLISECONDS);
    long count = driver.done.sum() - before;
    long elapsed = System.nanoTime() - from;
    driver.stopping = true;
    driver.awaitEnd(DRAIN);
    return new Load(count * 1e9 / elapsed, count, 0, 0, 0);
  }

  /// Until the dataset has no more to lease and every shard that was leased is done.
  static long toTheEnd(
      List<ManagedChannel> channels, String dataset, int outstanding, Duration within)
      throws IOException, InterruptedException {
    var driver = new WorkStreams(channels, dataset);
    driver.open(channels, outstanding, within);
    driver.awaitEnd(within);
    return driver.done.sum();
  }

  private void open(List<ManagedChannel> channels, int outstanding, Duration atMost) {
    for (int i = 0; i < channels.size(); i++) {
      streams.get(i).open(channels.get(i), outstanding, atMost);
    }
  }

  private void awaitEnd(Duration within) throws IOException, InterruptedException {
    boolean ended = finished.await(within.toMillis(), TimeUnit.MILLISECONDS);
    Throwable why = failure.get();
    if (why != null) {
      throw new IOException("a worker stream failed: " + why.getMessage(), why);
    }
    if (!ended) {
      throw new IOException("worker streams were still open after " + within.toSeconds() + " s");
    }
  }

  private final class Stream implements StreamObserver<WorkResponse> {
    private final String worker;

    /// How many reports each message that is not answered yet carries.
    private final Queue<Integer> underWay = new ArrayDeque<>();

    private @Nullable StreamObserver<WorkRequest> requests;

    Stream(String worker) {
      this.worker = worker;
    }

    synchronized void open(ManagedChannel channel, int outstanding, Duration atMost) {
      requests =
          DataServiceGrpc.newStub(channel)
              .withDeadlineAfter(atMost.toMillis(), TimeUnit.MILLISECONDS)
              .work(this);
      var open = WorkOpen.newBuilder().setWorker(worker).setDataset(dataset);
      send(WorkRequest.newBuilder().setOpen(open).setWant(BATCH));
      for (int i = 1; i < outstanding; i++) {
        send(WorkRequest.newBuilder().setWant(BATCH));
      }
    }

    private void send(WorkRequest.Builder request) {
      if (requests != null) {
        underWay.add(request.getReportsCount());
        requests.onNext(request.build());
      }
    }

    @Override
    public synchronized void onNext(WorkResponse answer) {
      if (answer.getOutcomesCount() > 0 || answer.getState() == LeaseState.LEASE_STATE_FAILED) {
        onError(new IllegalStateException("not every report was taken: " + answer));
        return;
      }
      done.add(underWay.remove());
      boolean more = !stopping && answer.getShardsCount() > 0;
      if (answer.getShardsCount() > 0) {
        var next = WorkRequest.newBuilder().setWant(more ? BATCH : 0);
        for (Shard shard : answer.getShardsList()) {
          next.addReports(
              ShardReport.newBuilder().setNumber(shard.getNumber()).setLease(shard.getLease()));
        }
        send(next);
      } else if (underWay.isEmpty() && requests != null) {
        requests.onCompleted();
      }
    }

    @Override
    public void onError(Throwable why) {
      failure.compareAndSet(null, why);
      stopping = true;
      finished.countDown();
    }

    @Override
    public void onCompleted() {
      finished.countDown();
    }
  }
}
