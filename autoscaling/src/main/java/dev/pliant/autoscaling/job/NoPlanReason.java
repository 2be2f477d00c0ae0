package dev.pliant.autoscaling.job;

import dev.pliant.model.decision.Words;

/// Why there is no plan.
public enum NoPlanReason {
  /// The plan would change nothing.
  UNCHANGED,
  /// Too little has been measured since the last change.
  NO_STATISTICS,
  /// The formula divides the limits of the job, and it has none.
  NO_LIMITS,
  /// The job's limits are smaller than the smallest nodes that it needs.
  LIMITS_TOO_SMALL,
  /// The job's limits leave no room for the change.
  JOB_LIMITS,
  /// The job has no parameter servers.
  NO_SERVERS,
  /// A parameter server is used so much that more workers would wait for it.
  SERVERS_OVERLOADED,
  /// The parameter servers use no CPU, or have no limit for it.
  SERVERS_UNUSED,
  /// The last workers that were added brought too little speed.
  WORKERS_ADD_TOO_LITTLE_SPEED,
  /// No parameter server is hot.
  NO_HOT_SERVER,
  /// The job has its most workers.
  AT_MAXIMUM,
  /// No machine has room for another unit of workers.
  NO_FREE_ROOM,
  /// Nodes have no size, so nobody can say how many fit.
  SIZE_UNKNOWN,
  /// This size made the training slower in this run.
  SIZE_WAS_SLOWER,
  /// The user sets the size of this role.
  SET_BY_USER,
  /// The last plan is too recent.
  TOO_EARLY,
  /// The number of workers has just changed.
  WORKERS_NOT_STABLE,
  /// A node has the most memory that a node may have.
  AT_MOST_MEMORY,
  /// There is no optimiser of that name.
  UNKNOWN_OPTIMIZER,
  /// The optimiser has no parameter of that name, or the value is beyond its bounds.
  BAD_PARAMETER;

  public String word() {
    return Words.kebab(this);
  }
}
