package dev.pliant.cli.run;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;

/// How fast records are done, over the last few seconds.
public final class Speed {
  private static final long WINDOW_NANOS = Duration.ofSeconds(5).toNanos();

  private record Sample(long nanos, long done) {}

  private final Deque<Sample> samples = new ArrayDeque<>();

  /// Notes how many are done at a moment.
  public void note(long nanos, long done) {
    if (!samples.isEmpty() && done < samples.getLast().done()) {
      samples.clear(); // A checkpoint was restored: what was done is to be done again.
    }
    samples.addLast(new Sample(nanos, done));
    while (samples.size() > 2 && nanos - samples.getFirst().nanos() > WINDOW_NANOS) {
      samples.removeFirst();
    }
  }

  /// Records a second; 0 before there is anything to tell from.
  public double perSecond() {
    if (samples.size() < 2) {
      return 0;
    }
    long nanos = samples.getLast().nanos() - samples.getFirst().nanos();
    long records = samples.getLast().done() - samples.getFirst().done();
    return nanos <= 0 ? 0 : records * 1e9 / nanos;
  }
}
