package dev.pliant.master.platform;

import java.time.Duration;

/// How long to wait before something that failed is tried again: doubled each time, within bounds.
public record Backoff(Duration first, Duration longest) {
  /// For the API server, which may be away for a second or for an hour.
  public static final Backoff API = new Backoff(Duration.ofMillis(200), Duration.ofSeconds(5));

  /// @param failures one after the other, at least one
  public Duration after(int failures) {
    Duration wait = first.multipliedBy(1L << Math.min(failures - 1, 20));
    return wait.compareTo(longest) < 0 ? wait : longest;
  }
}
