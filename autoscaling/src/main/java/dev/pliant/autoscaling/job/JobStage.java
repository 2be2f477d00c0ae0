package dev.pliant.autoscaling.job;

/// How far the sizes of a job are found.
public enum JobStage {
  /// Nothing has run: the first sizes follow from the configuration.
  CREATE,
  /// The first worker and parameter server run: more workers show what parameter servers need.
  WORKER_INITIAL,
  /// Several workers run: the parameter servers that they need can be computed.
  PS_INITIAL,
  /// Bottlenecks are found and removed.
  RUNNING
}
