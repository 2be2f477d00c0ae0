package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;

/// What one node used when it was measured. The values are as they were reported: one that is
/// missing or wrong makes only itself useless, see [#isUsable].
///
/// @param configured what the node had
/// @param cpu cores in use
/// @param memoryMib MiB in use
/// @param freeGpuMemoryMib the free memory of its fullest accelerator; NaN where there is none
public record NodeUsage(
    NodeId node, NodeResources configured, double cpu, double memoryMib, double freeGpuMemoryMib) {

  /// The most cores or MiB that a report may have.
  private static final double MOST = 1e12;

  /// Without an accelerator.
  public NodeUsage(NodeId node, NodeResources configured, double cpu, double memoryMib) {
    this(node, configured, cpu, memoryMib, Double.NaN);
  }

  /// Whether CPU and memory are numbers that a node can use.
  public boolean isUsable() {
    return cpu >= 0 && cpu <= MOST && memoryMib >= 0 && memoryMib <= MOST;
  }

  /// Whether the node is a worker. The chief counts as one.
  public boolean isWorker() {
    return Roles.isWorker(node.role());
  }

  public boolean isServer() {
    return node.role().equals(Roles.SERVER);
  }
}
