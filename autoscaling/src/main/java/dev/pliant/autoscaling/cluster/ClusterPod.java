package dev.pliant.autoscaling.cluster;

import dev.pliant.model.JobId;
import org.jspecify.annotations.Nullable;

/// A pod of a cluster, whoever made it.
///
/// @param node the node that it is bound to, or null
/// @param job the job that it belongs to, or null
public record ClusterPod(
    String name, @Nullable String node, Phase phase, PodSize size, @Nullable JobId job, Kind kind) {

  /// As Kubernetes has it.
  public enum Phase {
    PENDING,
    RUNNING,
    SUCCEEDED,
    FAILED
  }

  /// What the pod does for its job.
  public enum Kind {
    TRAINER,
    SERVER,
    OTHER
  }

  /// Whether it has or will have room on a node.
  public boolean isActive() {
    return phase == Phase.PENDING || phase == Phase.RUNNING;
  }
}
