package dev.pliant.crds.api;

/// Where a job is, as `kubectl get` shows it.
public enum JobStatePhase {
  /// Its master, or its first node, does not run yet.
  Pending,
  Running,
  /// Its nodes are being ended.
  Stopping,
  /// Nothing of it runs until `spec.suspend` is taken back.
  Suspended,
  Succeeded,
  Failed,
  Stopped
}
