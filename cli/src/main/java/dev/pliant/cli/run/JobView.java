package dev.pliant.cli.run;

import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterLocation;
import io.grpc.StatusRuntimeException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/// Asks a job's master how far the job is, every second, by a thread of its own. While no master
/// answers, the last answer stands.
final class JobView implements AutoCloseable {
  static final Duration PAUSE = Duration.ofSeconds(1);
  private static final Duration RETRY = Duration.ofMillis(50);
  private static final Duration CALL_BOUND = Duration.ofSeconds(2);

  private final MasterConnection master;
  private final AtomicReference<@Nullable JobSnapshot> latest = new AtomicReference<>();
  private final AtomicLong answers = new AtomicLong();
  private final Thread thread;

  JobView(Path jobFolder) {
    this.master = new MasterConnection(new MasterLocation.MasterFile(jobFolder));
    this.thread = Thread.ofVirtual().name("job-view").start(this::watch);
  }

  /// What the master said last, or null before it said anything.
  @Nullable JobSnapshot latest() {
    return latest.get();
  }

  /// How often a master has answered so far.
  long answers() {
    return answers.get();
  }

  private void watch() {
    while (!Thread.currentThread().isInterrupted()) {
      ask();
      try {
        Thread.sleep(PAUSE);
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  /// Asks once; what comes of it is the latest.
  private void ask() {
    try {
      latest.set(
          JobSnapshot.of(master.jobs(CALL_BOUND).getJob(GetJobRequest.getDefaultInstance())));
      answers.incrementAndGet();
    } catch (StatusRuntimeException e) {
      boolean moved = master.refresh();
    }
  }

  /// Asks now, in the caller's thread, until a master answers or the time is over.
  ///
  /// @param goOn is asked between two tries whether to try again
  @Nullable JobSnapshot fresh(Duration bound, BooleanSupplier goOn) throws InterruptedException {
    stopWatching();
    long end = System.nanoTime() + bound.toNanos();
    latest.set(null);
    do {
      ask();
      if (latest.get() != null) {
        break;
      }
      Thread.sleep(RETRY);
    } while (goOn.getAsBoolean() && System.nanoTime() - end < 0);
    return latest.get();
  }

  private void stopWatching() throws InterruptedException {
    thread.interrupt();
    boolean unused = thread.join(CALL_BOUND.plus(CALL_BOUND));
  }

  @Override
  public void close() {
    thread.interrupt();
    master.close();
  }
}
