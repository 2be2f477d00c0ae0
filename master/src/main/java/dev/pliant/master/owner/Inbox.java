package dev.pliant.master.owner;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/// What waits for the owner: bounded, filled by many threads, emptied by one. Nobody takes a lock,
/// and whoever brings something wakes the owner only where it sleeps.
final class Inbox {
  private final int capacity;
  private final ConcurrentLinkedQueue<Request> waiting = new ConcurrentLinkedQueue<>();

  /// How many wait; one that is being brought counts already.
  private final AtomicInteger count = new AtomicInteger();

  private volatile @Nullable Thread sleeper;

  Inbox(int capacity) {
    this.capacity = capacity;
  }

  /// False where there is no room.
  boolean offer(Request request) {
    if (count.incrementAndGet() > capacity) {
      count.decrementAndGet();
      return false;
    }
    waiting.add(request);
    Thread asleep = sleeper;
    if (asleep != null) {
      sleeper = null;
      LockSupport.unpark(asleep);
    }
    return true;
  }

  int size() {
    return count.get();
  }

  /// Sleeps until something waits, but not longer than so long; it may wake earlier. For the owner
  /// only.
  void await(long nanos) {
    if (!waiting.isEmpty()) {
      return;
    }
    sleeper = Thread.currentThread();
    // What was brought before this is seen here; whoever brings something after it sees a sleeper.
    if (waiting.isEmpty()) {
      LockSupport.parkNanos(this, nanos);
    }
    sleeper = null;
  }

  /// Moves up to `most` of what waits, the oldest first.
  void drainTo(Collection<? super Request> taken, int most) {
    int moved = 0;
    for (Request next; moved < most && (next = waiting.poll()) != null; moved++) {
      taken.add(next);
    }
    count.addAndGet(-moved);
  }

  /// Takes everything.
  List<Request> drain() {
    List<Request> all = new ArrayList<>();
    drainTo(all, Integer.MAX_VALUE);
    return all;
  }
}
