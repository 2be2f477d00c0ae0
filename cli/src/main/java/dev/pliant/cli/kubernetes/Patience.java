package dev.pliant.cli.kubernetes;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.time.Duration;
import java.util.function.Supplier;

/// Lets a command that follows a job sit out a cluster that is away for a while, for instance
/// because its API server is started anew. For one thread.
final class Patience {
  static final Duration BOUND = Duration.ofMinutes(2);

  private long answeredNanos = System.nanoTime();

  /// What the cluster answers, or `meanwhile` while it does not.
  ///
  /// @throws PliantException what is wrong, where it was away for too long, or refuses
  <T> T with(Supplier<T> call, T meanwhile) {
    try {
      T answer = call.get();
      answeredNanos = System.nanoTime();
      return answer;
    } catch (PliantException e) {
      boolean away = e.code() == ErrorCode.NO_CLUSTER;
      if (!away || System.nanoTime() - answeredNanos > BOUND.toNanos()) {
        throw e;
      }
      return meanwhile;
    }
  }
}
