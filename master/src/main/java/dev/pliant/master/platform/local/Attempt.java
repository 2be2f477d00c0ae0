package dev.pliant.master.platform.local;

import dev.pliant.rpc.Backoff;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// A process that is to claim a node and has not, or what came of the last one. It belongs to the
/// thread of [LocalNodes].
final class Attempt {
  private static final Backoff RETRY = new Backoff(Duration.ofMillis(500), Duration.ofSeconds(30));

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
    retryNanos = nanos + RETRY.after(failures).toNanos();
    boolean news = !why.equals(said);
    said = why;
    return news;
  }
}
