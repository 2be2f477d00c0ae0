package dev.pliant.autoscaling.cluster;

import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// One job during a round.
final class JobShare {
  /// The least fulfilled first. Ties: fewer GPUs of a trainer, then less CPU requested, then less
  /// memory requested, then the name.
  static final Comparator<JobShare> LEAST_FULFILLED_FIRST =
      Comparator.comparingDouble((JobShare share) -> share.fulfilment)
          .thenComparingInt(share -> share.trainers.each.gpus())
          .thenComparingDouble(share -> share.job.trainer().requests().cpu())
          .thenComparingDouble(share -> share.job.trainer().requests().memoryMib())
          .thenComparingInt(share -> share.rank);

  /// The most devices of one trainer or server.
  private static final int MOST_GPUS = 1_024;

  final ClusterJob job;
  final int rank;
  final PodGroup trainers;
  final PodGroup servers;
  JobAllocation.State state = JobAllocation.State.KEPT;

  /// Whether its size may change in this round.
  boolean eligible;

  /// Whether it has room for its minimum.
  boolean hasMinimum = true;

  /// Whether it came down to its minimum, so that this finds room.
  boolean cameDown;

  /// Whether trainers were taken from it. Its pods end where they are, so that it gets none
  /// elsewhere in the same round.
  boolean gave;

  /// The job that the last trainer was taken for; null where the load was too high.
  @Nullable JobId takenFor;

  private double fulfilment;
  private int running;
  private int active;
  private boolean allRun = true;

  /// @param rank the place among all names
  /// @param byRequests whether requests count, or limits
  JobShare(ClusterJob job, int rank, boolean byRequests) {
    this.job = job;
    this.rank = rank;
    ClusterJob.Servers withServers = job.servers();
    this.trainers = new PodGroup(counted(job.trainer(), byRequests), job.trainers());
    this.servers =
        withServers == null
            ? new PodGroup(PodAmounts.NONE, 0)
            : new PodGroup(counted(withServers.each(), byRequests), withServers.now());
    refresh();
  }

  static PodAmounts counted(PodSize size, boolean byRequests) {
    return byRequests ? size.requests() : size.limits();
  }

  boolean isValid() {
    ClusterJob.Servers withServers = job.servers();
    return isRange(job.min(), job.max())
        && job.trainers() >= 0
        && job.trainers() <= JobPlan.MAX_NODES
        && isPossible(job.trainer())
        && (withServers == null
            || (isRange(withServers.min(), withServers.max())
                && withServers.now() >= 0
                && withServers.now() <= JobPlan.MAX_NODES
                && isPossible(withServers.each())));
  }

  private static boolean isRange(int min, int max) {
    return min >= 0 && min <= max && max <= JobPlan.MAX_NODES;
  }

  private static boolean isPossible(PodSize size) {
    return size.limits().isPossible()
        && size.requests().isPossible()
        && size.limits().gpus() <= MOST_GPUS;
  }

  void observe(ClusterPod pod) {
    if (pod.isActive()) {
      allRun &= pod.phase() == ClusterPod.Phase.RUNNING;
      if (pod.kind() == ClusterPod.Kind.TRAINER) {
        active++;
        running += pod.phase() == ClusterPod.Phase.RUNNING ? 1 : 0;
      }
    }
  }

  /// Whether all its pods run, and they are as many as they are to be.
  boolean isSettled() {
    return allRun
        && active == trainers.placed()
        && trainers.missing(trainers.count()) == 0
        && trainers.placedBeyond(trainers.count()) == 0;
  }

  boolean hasNoneRunning() {
    return running == 0 && !trainers.hasSucceeded() && Math.max(job.min(), trainers.count()) > 0;
  }

  PodGroup group(ClusterPod.Kind kind) {
    return kind == ClusterPod.Kind.SERVER ? servers : trainers;
  }

  double fulfilment() {
    return fulfilment;
  }

  /// Sets the number of trainers. Whoever keeps the share in an order takes it out before.
  void trainers(int count) {
    trainers.count(count);
    refresh();
  }

  private void refresh() {
    fulfilment = ClusterJob.fulfilment(trainers.count(), job.min(), job.max());
  }

  /// How many servers go with so many trainers: as many as there are where the job does not give
  /// them a range.
  int serversFor(int count) {
    return job.serversFor(count);
  }

  boolean usesGpus() {
    return trainers.each.gpus() > 0 || servers.each.gpus() > 0;
  }

  boolean mayGive() {
    return eligible && hasMinimum && job.isElastic() && trainers.count() > job.min();
  }
}
