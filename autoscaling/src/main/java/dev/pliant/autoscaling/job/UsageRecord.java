package dev.pliant.autoscaling.job;

import java.util.List;

/// What all nodes of a job used at one time.
///
/// @param atMillis when, in milliseconds since 1970
public record UsageRecord(long atMillis, List<NodeUsage> nodes) {
  public UsageRecord {
    nodes = List.copyOf(nodes);
  }

  /// How many workers are in the record, the chief included.
  public int workers() {
    int workers = 0;
    for (NodeUsage node : nodes) {
      if (node.isWorker()) {
        workers++;
      }
    }
    return workers;
  }
}
