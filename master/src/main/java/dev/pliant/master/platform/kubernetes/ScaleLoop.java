package dev.pliant.master.platform.kubernetes;

import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.master.platform.Scaler;
import dev.pliant.rpc.Backoff;
import io.fabric8.kubernetes.client.KubernetesClientException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Makes passes over what is desired, one at a time, by one thread: at once when something else is
/// desired, again after a while when a pass could not do all of it, and now and then in any case,
/// because somebody may have changed what it made. The newest word counts.
final class ScaleLoop implements Scaler {
  private static final Logger log = LoggerFactory.getLogger(ScaleLoop.class);

  /// How long nothing is looked after while all is as desired.
  private static final Duration REST = Duration.ofSeconds(60);

  private static final Duration CLOSE_BOUND = Duration.ofSeconds(1);

  /// Makes what there is what is desired.
  interface Pass {
    /// @param followed what of the job is followed by what is desired
    /// @return whether nothing is left to do
    /// @throws KubernetesClientException where the API server is away or refuses
    /// @throws Fenced where a newer master speaks for the job
    boolean carryOut(DesiredNodes desired, Followed followed) throws Fenced;
  }

  /// A newer master speaks for the job.
  static final class Fenced extends Exception {
    private static final long serialVersionUID = 1;

    Fenced(String message) {
      super(message);
    }
  }

  private final Pass pass;
  private final NodeBook book;
  private final BooleanSupplier current;
  private final CompletableFuture<Void> over;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();

  // Both guarded by the lock, and taken together: what is desired is never said to follow more of
  // the job than it does.
  private DesiredNodes desired = DesiredNodes.UNDEFINED;
  private Followed followed;

  private boolean isNew;
  private volatile boolean closed;
  private String trouble = "";

  /// @param followed what of the job is followed from the beginning
  /// @param over to be done when there is nothing more to do for this master
  ScaleLoop(
      Pass pass,
      NodeBook book,
      Followed followed,
      BooleanSupplier current,
      CompletableFuture<Void> over) {
    this.pass = pass;
    this.book = book;
    this.followed = followed;
    this.current = current;
    this.over = over;
    this.thread = Thread.ofPlatform().name("scaler").daemon().start(this::run);
  }

  @Override
  public void scale(DesiredNodes wanted) {
    book.desire(wanted);
    lock.lock();
    try {
      desired = wanted;
      isNew = true;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  /// What is desired by now follows that of the job.
  void follows(Followed newer) {
    lock.lock();
    try {
      isNew |= !newer.equals(followed);
      followed = newer;
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    Duration wait = REST;
    int failures = 0;
    while (!closed) {
      try {
        Wanted wanted = await(wait);
        if (!wanted.nodes().defined()) {
          continue;
        }
        if (!current.getAsBoolean()) {
          log.warn("a newer master has taken over; this one leaves all nodes to it");
          return;
        }
        boolean done = attempt(wanted);
        failures = done ? 0 : failures + 1;
        wait = done ? REST : Backoff.API.after(failures);
        if (done && wanted.nodes().job().phase().ended()) {
          over.complete(null);
        }
      } catch (Fenced e) {
        log.warn("{}; this one ends", e.getMessage());
        over.complete(null);
        return;
      } catch (InterruptedException e) {
        return;
      }
    }
  }

  private record Wanted(DesiredNodes nodes, Followed followed) {}

  /// What is desired, as soon as that is new, or after `wait`.
  private Wanted await(Duration wait) throws InterruptedException {
    long left = wait.toNanos();
    lock.lockInterruptibly();
    try {
      while (!isNew && left > 0) {
        left = changed.awaitNanos(left);
      }
      isNew = false;
      return new Wanted(desired, followed);
    } finally {
      lock.unlock();
    }
  }

  private boolean attempt(Wanted wanted) throws Fenced {
    try {
      boolean done = pass.carryOut(wanted.nodes(), wanted.followed());
      if (!trouble.isEmpty()) {
        log.info("the cluster takes the master's word again");
        trouble = "";
      }
      return done;
    } catch (KubernetesClientException e) {
      String why = JobApi.describe(e);
      if (!closed && !why.equals(trouble)) {
        log.warn("what is desired waits for the cluster: {}", why);
      }
      trouble = why;
      return false;
    } catch (RuntimeException e) {
      // Nothing may end the loop, or the job would stand still.
      log.error("a pass over the nodes met trouble", e);
      return false;
    }
  }

  @Override
  public void close() {
    closed = true;
    thread.interrupt();
    try {
      thread.join(CLOSE_BOUND);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
