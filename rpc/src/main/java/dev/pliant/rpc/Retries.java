package dev.pliant.rpc;

import java.time.Duration;
import java.util.random.RandomGenerator;

/// The waits between the tries of one caller. Each is shortened by up to a half, so that callers
/// which lost the same peer do not come back as one.
public final class Retries {
  private final Backoff backoff;
  private final RandomGenerator chance;
  private int failures;

  public Retries(Backoff backoff, RandomGenerator chance) {
    this.backoff = backoff;
    this.chance = chance;
  }

  /// The next wait, or `hint` where the peer asks for more.
  public Duration next(Duration hint) {
    failures++;
    long wait = backoff.after(failures).toNanos();
    return Duration.ofNanos(Math.max(wait - chance.nextLong(wait / 2), hint.toNanos()));
  }

  /// The peer has answered: the next trouble starts small.
  public void reset() {
    failures = 0;
  }
}
