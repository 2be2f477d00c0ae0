package dev.pliant.crds.api;

/// Which pods of a job that ended are removed.
public enum CleanPodPolicy {
  /// None.
  None,
  /// Those that still run; the others are kept for their logs. The default.
  Running,
  /// All.
  All
}
