package dev.pliant.rpc;

import dev.pliant.model.PliantException;
import java.time.Duration;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Calls that outlast a master's absence: tried again, each time where the master is then, until it
/// has judged them or the time is over.
public final class MasterCalls {
  /// How long one try may take.
  public static final Duration TRY = Duration.ofSeconds(10);

  /// How often in a row trouble that is nobody's word is put down to the network.
  public static final int ODD_TRIES = 10;

  private static final Logger log = LoggerFactory.getLogger(MasterCalls.class);

  private final MasterConnection master;
  private final LongSupplier nanoTime;
  private final RandomGenerator chance;

  public MasterCalls(MasterConnection master, LongSupplier nanoTime, RandomGenerator chance) {
    this.master = master;
    this.nanoTime = nanoTime;
    this.chance = chance;
  }

  public MasterConnection master() {
    return master;
  }

  /// Waits of its own for whoever tries by itself.
  public Retries newRetries() {
    synchronized (chance) {
      return new Retries(Backoff.MASTER, new SplittableRandom(chance.nextLong()));
    }
  }

  /// Calls until there is an answer.
  ///
  /// @param what the call, for the log
  /// @param bound how long to go on trying
  /// @throws PliantException what the master said, or, when the time is over, the last trouble
  public <A> A call(String what, Duration bound, Function<MasterConnection, A> call)
      throws InterruptedException {
    long start = nanoTime.getAsLong();
    Retries retries = newRetries();
    for (int tries = 1; ; tries++) {
      MasterTrouble trouble;
      long moves = master.moves();
      try {
        return call.apply(master);
      } catch (RuntimeException e) {
        trouble = MasterTrouble.of(e);
      }
      if (Thread.interrupted()) {
        throw new InterruptedException(what + " was interrupted");
      }
      master.refresh();
      boolean moved = master.moves() != moves;
      Duration wait = moved ? trouble.retryAfter() : retries.next(trouble.retryAfter());
      Duration left = bound.minusNanos(nanoTime.getAsLong() - start);
      if (!worthAnotherTry(trouble, tries, moved) || wait.compareTo(left) > 0) {
        throw trouble.error();
      }
      log.debug("{}: {}; trying again in {}", what, trouble.error().getMessage(), wait);
      if (pause(wait)) {
        retries.reset();
      }
    }
  }

  /// Waits before another try, but no longer than until the master is found elsewhere.
  ///
  /// @return whether it was
  public boolean pause(Duration wait) throws InterruptedException {
    long moves = master.moves();
    long end = nanoTime.getAsLong() + wait.toNanos();
    long left = wait.toNanos();
    while (left > 0) {
      Thread.sleep(Duration.ofNanos(Math.min(left, MasterConnection.LOOK.toNanos())));
      if (master.look() != moves) {
        return true;
      }
      left = end - nanoTime.getAsLong();
    }
    return false;
  }

  /// Whether to try again after so many tries in a row.
  public static boolean worthAnotherTry(MasterTrouble trouble, int tries, boolean moved) {
    return switch (trouble.kind()) {
      case AWAY -> true;
      case ODD -> tries < ODD_TRIES;
      case TURNED_AWAY -> moved;
      case REFUSED -> false;
    };
  }
}
