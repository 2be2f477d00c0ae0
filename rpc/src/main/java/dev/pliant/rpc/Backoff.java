package dev.pliant.rpc;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// How long to wait before the next try: 50 ms at first, twice as long each time, 2 s at most, each
/// wait shortened by up to a half so that agents which lost the same master do not come back as
/// one.
public final class Backoff {
  static final Duration FIRST = Duration.ofMillis(50);
  static final Duration LONGEST = Duration.ofSeconds(2);

  private final RandomGenerator chance;
  private long nextNanos = FIRST.toNanos();

  public Backoff(RandomGenerator chance) {
    this.chance = chance;
  }

  /// The next wait, or `hint` where the master asks for more.
  public Duration next(Duration hint) {
    long wait = nextNanos - chance.nextLong(nextNanos / 2);
    nextNanos = Math.min(2 * nextNanos, LONGEST.toNanos());
    return Duration.ofNanos(Math.max(wait, hint.toNanos()));
  }

  /// The master was heard: the next trouble starts small.
  public void reset() {
    nextNanos = FIRST.toNanos();
  }
}
