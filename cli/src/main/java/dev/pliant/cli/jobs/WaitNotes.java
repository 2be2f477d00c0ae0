package dev.pliant.cli.jobs;

import java.time.Duration;
import java.util.function.Consumer;

/// Says what a command waits for: nothing at first, for most waits are short, then now and then.
/// For one thread.
public final class WaitNotes {
  static final Duration FIRST = Duration.ofSeconds(3);
  static final Duration EVERY = Duration.ofSeconds(10);

  private final Consumer<String> sink;
  private long nextNanos;

  public WaitNotes(Consumer<String> sink, long nowNanos) {
    this.sink = sink;
    this.nextNanos = nowNanos + FIRST.toNanos();
  }

  /// It still waits, for `what`.
  public void still(String what, long nowNanos) {
    if (nowNanos - nextNanos >= 0) {
      nextNanos = nowNanos + EVERY.toNanos();
      sink.accept(what + " …");
    }
  }
}
