package dev.pliant.master.platform.local;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A process that is to claim a node and has not, or what came of the last one. It belongs to the
/// thread of [LocalNodes].
final class Attempt {
  private static final Duration FIRST_RETRY = Duration.ofMillis(500);
  private static final Duration LONGEST_RETRY = Duration.ofSeconds(30);
  private static final int MOST_DOUBLINGS = 10;

  @Nullable Process process;
  private int failures;
  private long retryNanos;
  private String said = "";

  /// Whether it is not yet time to try again.
  boolean waits(long nanos) {
    return failures > 0 && nanos - retryNanos < 0;
  }

  /// Notes a failure.
  ///
  /// @return whether that is news
  boolean failed(String why, long nanos) {
    failures++;
    Duration wait = FIRST_RETRY.multipliedBy(1L << Math.min(failures - 1, MOST_DOUBLINGS));
    Duration bounded = wait.compareTo(LONGEST_RETRY) < 0 ? wait : LONGEST_RETRY;
    retryNanos = nanos + bounded.toNanos();
    boolean news = !why.equals(said);
    said = why;
    return news;
  }
}
