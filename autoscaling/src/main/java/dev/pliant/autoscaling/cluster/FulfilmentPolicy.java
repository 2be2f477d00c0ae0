package dev.pliant.autoscaling.cluster;

import java.util.List;

/// Paddle EDL's policy: room goes to the least fulfilled job, and comes from the most fulfilled one
/// when another has no room for its minimum.
///
/// 1. Only elastic jobs are scaled, and only when all their pods run, unless some job has none
///    running at all. A job above its maximum comes down first.
/// 2. A job whose minimum has no room gets it from the most fulfilled jobs, none of which goes
///    below its own minimum. Nothing is taken where that would not be enough. A lack of GPUs never
///    shrinks a job that uses none.
/// 3. Where nobody can give, a job that uses GPUs waits; another starts at its minimum, for the
///    requests of its pods may fit.
/// 4. Above the load ceiling the most fulfilled jobs shrink.
/// 5. What is left goes to the least fulfilled job, one trainer at a time, as long as the load
///    stays below the ceiling and the trainer, with the servers that it needs, fits on nodes.
///    Nobody grows in a round in which room was made for a minimum, or while its pods are not
///    bound.
///
/// Each trainer costs a search among the jobs and one among the nodes, both in trees.
public final class FulfilmentPolicy implements AllocationPolicy {
  private final FulfilmentSettings settings;

  public FulfilmentPolicy(FulfilmentSettings settings) {
    this.settings = settings;
  }

  @Override
  public String name() {
    return "fulfilment";
  }

  @Override
  public List<JobAllocation> allocate(ClusterSnapshot snapshot) {
    return new FulfilmentRound(snapshot, settings).allocate();
  }
}
