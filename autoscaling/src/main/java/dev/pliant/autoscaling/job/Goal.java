package dev.pliant.autoscaling.job;

/// What a plan is made for.
public enum Goal {
  /// The job starts.
  START,
  /// The training gets faster. Only such a plan is taken back where it does not.
  SPEED,
  /// The same training takes less.
  EFFICIENCY,
  /// Nodes do not run out of memory.
  MEMORY,
  /// A plan that made the training slower is taken back.
  TAKE_BACK
}
