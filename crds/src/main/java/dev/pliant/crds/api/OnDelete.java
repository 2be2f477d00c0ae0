package dev.pliant.crds.api;

/// What becomes of a job's journal on a claim when the job is deleted.
public enum OnDelete {
  /// The operator deletes its folder. The default.
  Delete,
  /// It stays.
  Retain
}
