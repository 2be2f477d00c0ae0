package dev.pliant.autoscaling.cluster;

import java.util.List;

/// Shares a cluster among its jobs. A function of the snapshot: the same one gives the same sizes.
public interface AllocationPolicy {

  /// What users call it.
  String name();

  /// A size for each job of the snapshot, in its order.
  List<JobAllocation> allocate(ClusterSnapshot snapshot);
}
