package dev.pliant.autoscaling.cluster;

import java.util.List;

/// A cluster at one time.
///
/// @param atMillis when, in milliseconds since 1970
/// @param pods all pods of the cluster; those of a job in the order in which they started
public record ClusterSnapshot(
    long atMillis, List<ClusterNode> nodes, List<ClusterPod> pods, List<ClusterJob> jobs) {
  public ClusterSnapshot {
    nodes = List.copyOf(nodes);
    pods = List.copyOf(pods);
    jobs = List.copyOf(jobs);
  }
}
