package dev.pliant.rpc;

import java.time.Duration;

/// How long to wait before something that failed is tried again: doubled each time, within bounds.
public record Backoff(Duration first, Duration longest) {
  /// For a job's master, which is back within a moment.
  public static final Backoff MASTER = new Backoff(Duration.ofMillis(50), Duration.ofSeconds(2));

  /// For the API server, which may be away for a second or for an hour.
  public static final Backoff API = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5));

  private static final int MOST_DOUBLINGS = 20;

  /// @param failures one after the other, at least one
  public Duration after(int failures) {
    Duration wait = first.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }
}
