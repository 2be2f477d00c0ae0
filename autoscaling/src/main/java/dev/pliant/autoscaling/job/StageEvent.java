package dev.pliant.autoscaling.job;

/// What a stage comes to.
public enum StageEvent {
  /// A plan for parameter servers was made, or the CREATE plan.
  SERVERS_PLANNED,
  /// A plan for workers was made.
  WORKERS_PLANNED,
  /// Enough is known, and nothing is to change.
  NOTHING_TO_CHANGE,
  /// Too little is known.
  NO_STATISTICS
}
