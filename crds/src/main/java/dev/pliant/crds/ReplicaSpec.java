package dev.pliant.crds;

import org.jspecify.annotations.Nullable;

/// One role of a job: how many of what.
///
/// @param replicas the wish, or null where the file gives none
/// @param minReplicas the fewest it may shrink to, or null
/// @param maxReplicas the most it may grow to, or null
/// @param restartCount how often one may be restarted after a failure of its own, or null
public record ReplicaSpec(
    @Nullable Integer replicas,
    @Nullable Integer minReplicas,
    @Nullable Integer maxReplicas,
    @Nullable Integer restartCount,
    PodTemplate template) {
  /// The most of one role.
  public static final int MAX_REPLICAS = 10_000;

  /// The size to start with: the wish, else the fewest, else one.
  public int initialReplicas() {
    if (replicas != null) {
      return replicas;
    }
    return minReplicas != null ? minReplicas : 1;
  }
}
