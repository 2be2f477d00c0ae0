package dev.pliant.crds;

import org.jspecify.annotations.Nullable;

/// One role of a job: how many of what.
///
/// @param replicas the wish, or null where the file gives none; never 0 workers, which say none
/// @param minReplicas the fewest it may shrink to, or null
/// @param maxReplicas the most it may grow to, or null
/// @param restartCount how often one may be restarted after a failure of its own, or null
/// @param autoScale whether the optimiser may change this role, or null where the file does not say
/// @param restartTimeoutSeconds how long one that takes another's place may take until it runs, or
///   null
/// @param priority of its pods, or null
/// @param nprocPerNode how many training processes one node runs, or null for one
public record ReplicaSpec(
    @Nullable Integer replicas,
    @Nullable Integer minReplicas,
    @Nullable Integer maxReplicas,
    @Nullable Integer restartCount,
    @Nullable Boolean autoScale,
    @Nullable Integer restartTimeoutSeconds,
    @Nullable Priority priority,
    @Nullable Integer nprocPerNode,
    PodTemplate template) {
  /// The most of one role.
  public static final int MAX_REPLICAS = 10_000;

  /// The most training processes on one node.
  public static final int MAX_PROCESSES = 1_024;

  /// The size to start with: the wish, else the fewest, else one.
  public int initialReplicas() {
    if (replicas != null) {
      return replicas;
    }
    return minReplicas != null ? Math.max(1, minReplicas) : 1;
  }

  /// How long one that takes another's place may take until it runs; 0 for no bound.
  public long restartMillis() {
    return restartTimeoutSeconds == null ? 0 : restartTimeoutSeconds * 1_000L;
  }

  /// Training processes on one node.
  public int processesPerNode() {
    return nprocPerNode == null ? 1 : nprocPerNode;
  }
}
