package dev.pliant.autoscaling.job;

import org.jspecify.annotations.Nullable;

/// Everything that an optimiser reads.
///
/// @param job what the user allows
/// @param now what the job has
/// @param statistics what was measured
/// @param sinceMillis only what was measured after this counts as the present: the last change of
///   size
/// @param nowMillis the time, in milliseconds since 1970. What was measured later is left out
public record OptimizerInput(
    JobConstraints job,
    Allocation now,
    JobStatistics statistics,
    long sinceMillis,
    long nowMillis) {
  public @Nullable Double limitCpu() {
    return job.limits().cpu();
  }

  public @Nullable Long limitMemoryMib() {
    return job.limits().memoryMib();
  }

  /// The same, where only what was measured after `millis` counts as the present.
  public OptimizerInput since(long millis) {
    return new OptimizerInput(job, now, statistics, millis, nowMillis);
  }
}
