package dev.pliant.operator.decision;

/// How an object that bears one of the job's names stands.
public enum Presence {
  MISSING,
  /// The job's own, as this operator makes it.
  CURRENT,
  /// The job's own, as another version of the operator, or for another spec, made it.
  OUTDATED,
  /// Another's, or on its way out: an [Obstacle]. Mostly that of a job of the same name that was
  /// deleted, and which Kubernetes has yet to collect.
  FOREIGN
}
