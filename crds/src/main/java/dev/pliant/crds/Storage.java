package dev.pliant.crds;

import org.jspecify.annotations.Nullable;

/// Where a job's journal is kept on a cluster.
///
/// @param claim the name of a PersistentVolumeClaim
/// @param path the folder in it, or null for one named after the job
public record Storage(String claim, @Nullable String path) {
  public Storage {
    if (claim.isBlank()) {
      throw new IllegalArgumentException("a claim has a name");
    }
  }
}
