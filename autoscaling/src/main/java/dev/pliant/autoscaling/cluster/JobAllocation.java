package dev.pliant.autoscaling.cluster;

import dev.pliant.model.JobId;
import dev.pliant.model.decision.Choice;

/// The size that a policy gives a job.
///
/// @param trainers how many trainers it has from now on
/// @param servers how many parameter servers
/// @param choice why
public record JobAllocation(JobId job, int trainers, int servers, State state, Choice choice) {

  /// What becomes of the job.
  public enum State {
    /// It has the size that it had.
    KEPT,
    /// It has another size.
    CHANGED,
    /// It has fewer than its minimum until there is room.
    WAITS,
    /// It has its minimum, though the limits of all pods leave no room. Requests may.
    OPTIMISTIC,
    /// A trainer or server of it fits no node, even an empty one.
    FITS_NO_NODE,
    /// Its bounds or sizes cannot be.
    INVALID
  }
}
