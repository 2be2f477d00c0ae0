package dev.pliant.machine;

/// For how long nothing was heard from a worker, or from the agent of a node. It is a duration and
/// no time of day: a clock that is set must not make anybody lost.
///
/// @param heardBefore whether this master has heard from it before; a new master waits longer for
///   the first message
public record Silence(long millis, boolean heardBefore) {
  /// How long a silence may last.
  ///
  /// @param millis where this master has heard from it before
  /// @param firstMillis where this master waits for its first message
  public record Limits(long millis, long firstMillis) {
    public long of(Silence silence) {
      return silence.heardBefore() ? millis : firstMillis;
    }
  }

  /// What a silence means.
  public enum Verdict {
    /// It is not too long yet.
    WAIT,
    /// It is too long: what was silent is given up.
    LOST,
    /// It is too long, but the job has no such worker, or the node does not run.
    UNKNOWN
  }

  boolean exceeds(Limits limits) {
    return millis > limits.of(this);
  }
}
