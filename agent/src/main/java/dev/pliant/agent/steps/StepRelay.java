package dev.pliant.agent.steps;

import dev.pliant.model.DatasetName;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.CommitOutcome;
import dev.pliant.protocol.v1.CommitStepRequest;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.rpc.MasterCalls;
import dev.pliant.rpc.MasterTrouble;
import dev.pliant.rpc.Retries;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Delivers the steps of one dataset behind the training: [StepBook] decides what, a thread of its
/// own says it, for as long as the agent lives and whatever happens to the master. Not oftener than
/// the pace, for each commit stands for all before it, unless somebody waits; the longer a world
/// lasts, the seldomer.
final class StepRelay {
  private static final Logger log = LoggerFactory.getLogger(StepRelay.class);

  /// The shortest time between two commits for which nobody waits, of a young world and of an old.
  private static final Duration FIRST_PACE = Duration.ofMillis(200);

  private static final Duration PACE = Duration.ofSeconds(1);

  /// The pace is a world's age divided by this, within those bounds.
  private static final int PACES_OF_AGE = 20;

  private final DatasetName dataset;
  private final MasterCalls calls;
  private final LongSupplier nanoTime;
  private final Retries retries;
  private final StepBook book = new StepBook();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final Thread thread;
  private int settling;
  private long world = -1;
  private long worldSince;
  private @Nullable PliantException refusal;

  StepRelay(DatasetName dataset, MasterCalls calls, LongSupplier nanoTime) {
    this.dataset = dataset;
    this.calls = calls;
    this.nanoTime = nanoTime;
    this.retries = calls.newRetries();
    this.thread = Thread.ofVirtual().name("pliant-steps-" + dataset).unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  void stop() {
    thread.interrupt();
  }

  /// A process has done everything up to a step.
  ///
  /// @throws PliantException what the master had against an earlier one, once
  void said(StepBook.Commit step) {
    lock.lock();
    try {
      tellRefusal();
      if (step.world() != world) {
        world = step.world();
        worldSince = nanoTime.getAsLong();
      }
      book.said(step);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// The ledgers were set to another state.
  void forget() {
    lock.lock();
    try {
      book.forget();
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /// Waits until the master has all that was said up to now.
  ///
  /// @return whether that was so in time
  /// @throws PliantException what the master has against it
  boolean settle(Duration within) throws InterruptedException {
    long left = within.toNanos();
    lock.lock();
    try {
      long upTo = book.saidCount();
      settling++;
      changed.signalAll();
      try {
        while (book.settledCount() < upTo && left > 0) {
          left = changed.awaitNanos(left);
        }
      } finally {
        settling--;
      }
      tellRefusal();
      return book.settledCount() >= upTo;
    } finally {
      lock.unlock();
    }
  }

  private void tellRefusal() {
    PliantException error = refusal;
    if (error != null) {
      refusal = null;
      throw error;
    }
  }

  private void run() {
    long last = nanoTime.getAsLong() - PACE.toNanos();
    try {
      while (!Thread.currentThread().isInterrupted()) {
        StepBook.Commit commit = await(last);
        last = nanoTime.getAsLong();
        deliver(commit);
      }
    } catch (InterruptedException _) {
      log.debug("steps of dataset {} are delivered no more", dataset);
    }
  }

  /// The next commit, when it is time for it.
  private StepBook.Commit await(long last) throws InterruptedException {
    lock.lock();
    try {
      while (true) {
        long now = nanoTime.getAsLong();
        long early = last + pace(now - worldSince) - now;
        if (settling > 0 || early <= 0) {
          Optional<StepBook.Commit> next = book.next();
          if (next.isPresent()) {
            return next.get();
          }
          changed.await();
        } else {
          long unused = changed.awaitNanos(early);
        }
      }
    } finally {
      lock.unlock();
    }
  }

  private static long pace(long worldNanos) {
    return Math.clamp(worldNanos / PACES_OF_AGE, FIRST_PACE.toNanos(), PACE.toNanos());
  }

  private void deliver(StepBook.Commit commit) throws InterruptedException {
    try {
      CommitStepResponse response =
          calls.master().data(MasterCalls.TRY).commitStep(message(commit));
      retries.reset();
      answered(commit, response);
    } catch (RuntimeException e) {
      if (Thread.interrupted()) {
        throw new InterruptedException("a commit was interrupted");
      }
      failed(MasterTrouble.of(e));
    }
  }

  private CommitStepRequest message(StepBook.Commit commit) {
    return CommitStepRequest.newBuilder()
        .setDataset(dataset.value())
        .setEpoch(commit.epoch())
        .setStep(commit.step())
        .setWorld(commit.world())
        .setThrough(true)
        .putAllMetrics(commit.metrics())
        .build();
  }

  private void answered(StepBook.Commit commit, CommitStepResponse response) {
    CommitOutcome outcome = response.getOutcome();
    if (outcome == CommitOutcome.COMMIT_OUTCOME_OLD_WORLD
        || outcome == CommitOutcome.COMMIT_OUTCOME_GAP) {
      log.info(
          "dataset {}: epoch {}, step {} of world {} is not taken: {}",
          dataset,
          commit.epoch(),
          commit.step(),
          commit.world(),
          outcome);
    }
    lock.lock();
    try {
      book.answered(outcome == CommitOutcome.COMMIT_OUTCOME_OLD_WORLD);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void failed(MasterTrouble trouble) throws InterruptedException {
    boolean hopeless = trouble.kind() == MasterTrouble.Kind.REFUSED;
    lock.lock();
    try {
      if (hopeless) {
        book.answered(false);
        refusal = trouble.error();
        log.warn("dataset {}: a step is not taken: {}", dataset, trouble.error().getMessage());
      } else {
        book.failed();
      }
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (!hopeless) {
      calls.master().refresh();
      if (calls.pause(retries.next(trouble.retryAfter()))) {
        retries.reset();
      }
    }
  }

  /// Waits for all to be delivered, when the agent stops.
  boolean finish(long nanos) throws InterruptedException {
    try {
      return settle(Duration.ofNanos(Math.max(0, nanos)));
    } catch (PliantException e) {
      log.warn("dataset {}: {}", dataset, e.getMessage());
      return true;
    } finally {
      stop();
      thread.join(TimeUnit.SECONDS.toMillis(1));
    }
  }
}
