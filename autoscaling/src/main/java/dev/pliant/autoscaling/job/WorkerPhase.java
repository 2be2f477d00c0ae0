package dev.pliant.autoscaling.job;

/// What is planned for workers in the stage RUNNING.
public enum WorkerPhase {
  /// Once, more workers are tried.
  SAMPLE,
  /// From then on the number changes where measured speeds say so.
  STABLE
}
