package dev.pliant.benchmarks;

import io.grpc.ManagedChannel;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntFunction;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/// Our own load tool, where one call must follow another: so many callers, spread evenly over a few
/// connections, each with one exchange under way at any time.
final class LoadDriver {
  private static final Duration RAMP = Duration.ofMillis(500);
  private static final Duration DRAIN = Duration.ofSeconds(60);

  private final List<Caller> callers = new ArrayList<>();
  private final CountDownLatch finished;
  private final AtomicLong budget;
  private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
  private volatile boolean counting;
  private volatile boolean stopping;

  private LoadDriver(
      List<ManagedChannel> channels, int count, IntFunction<Exchange> exchanges, long budget) {
    for (int i = 0; i < count; i++) {
      callers.add(new Caller(channels.get(i % channels.size()), exchanges.apply(i)));
    }
    this.finished = new CountDownLatch(count);
    this.budget = new AtomicLong(budget);
  }

  /// Exchanges for a time, after half a second that is not counted.
  static Load forTime(
      List<ManagedChannel> channels, int callers, IntFunction<Exchange> exchanges, Duration time)
      throws IOException, InterruptedException {
    var driver = new LoadDriver(channels, callers, exchanges, Long.MAX_VALUE);
    driver.callers.forEach(Caller::next);
    boolean early = driver.finished.await(RAMP.toMillis(), TimeUnit.MILLISECONDS);
    driver.counting = true;
    long from = System.nanoTime();
    if (!early) {
      var _ = driver.finished.await(time.toMillis(), TimeUnit.MILLISECONDS);
    }
    driver.counting = false;
    long elapsed = System.nanoTime() - from;
    driver.stopping = true;
    return driver.collect(elapsed, DRAIN);
  }

  /// So many exchanges, within a time.
  static Load forCount(
      List<ManagedChannel> channels,
      int callers,
      IntFunction<Exchange> exchanges,
      long count,
      Duration within)
      throws IOException, InterruptedException {
    var driver = new LoadDriver(channels, callers, exchanges, count);
    driver.counting = true;
    long from = System.nanoTime();
    driver.callers.forEach(Caller::next);
    if (!driver.finished.await(within.toMillis(), TimeUnit.MILLISECONDS)) {
      driver.stopping = true;
      throw new IOException(
          "%d exchanges were not done within %d s".formatted(count, within.toSeconds()));
    }
    return driver.collect(System.nanoTime() - from, Duration.ZERO);
  }

  private Load collect(long elapsedNanos, Duration patience)
      throws IOException, InterruptedException {
    if (!finished.await(patience.toMillis(), TimeUnit.MILLISECONDS)) {
      throw new IOException("calls were still open " + patience.toSeconds() + " s after the end");
    }
    Throwable why = failure.get();
    if (why != null) {
      throw new IOException("a call failed under load: " + why.getMessage(), why);
    }
    var all = new Histogram(3);
    callers.forEach(caller -> all.add(caller.latencies));
    long count = all.getTotalCount();
    return new Load(
        count * 1e9 / elapsedNanos,
        count,
        all.getValueAtPercentile(50) / 1e6,
        all.getValueAtPercentile(99) / 1e6,
        0);
  }

  /// One caller. Its callbacks all come from the network thread of its connection.
  private final class Caller implements Exchange.End {
    private final ManagedChannel channel;
    private final Exchange exchange;
    private final Histogram latencies = new Histogram(3);
    private long beganNanos;

    Caller(ManagedChannel channel, Exchange exchange) {
      this.channel = channel;
      this.exchange = exchange;
    }

    void next() {
      if (stopping || budget.getAndDecrement() <= 0) {
        finished.countDown();
        return;
      }
      beganNanos = System.nanoTime();
      exchange.begin(channel, this);
    }

    @Override
    public void done() {
      if (counting) {
        latencies.recordValue(System.nanoTime() - beganNanos);
      }
      next();
    }

    @Override
    public void failed(Throwable why) {
      failure.compareAndSet(null, why);
      stopping = true;
      finished.countDown();
    }
  }
}
