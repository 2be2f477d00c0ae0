package dev.pliant.crds;

import org.jspecify.annotations.Nullable;

/// Where and how often a job keeps its model, optimizer and data position.
///
/// @param claim the name of a PersistentVolumeClaim, or null where `path` is a folder of the
///   machine
/// @param path the folder, in the claim where there is one; null for the claim's root. Each job has
///   `NAMESPACE/NAME/UID` below it
/// @param every how many steps lie between two
/// @param keep how many of the newest are kept
/// @param from where a job without a checkpoint of its own takes model and optimizer from:
///   `latest`, a path, or null for nowhere
/// @param withDataPosition whether it also takes over which records are done
public record Checkpoint(
    @Nullable String claim,
    @Nullable String path,
    int every,
    int keep,
    @Nullable String from,
    boolean withDataPosition) {
  public static final int DEFAULT_EVERY = 100;
  public static final int DEFAULT_KEEP = 3;

  public Checkpoint {
    if (claim == null && path == null) {
      throw new IllegalArgumentException("a checkpoint has a claim, a path, or both");
    }
    if (every < 1 || keep < 1) {
      throw new IllegalArgumentException("every and keep are at least 1: " + every + ", " + keep);
    }
  }
}
