package dev.pliant.crds;

import dev.pliant.crds.api.OnDelete;
import org.jspecify.annotations.Nullable;

/// Where a job's journal is kept on a cluster.
///
/// @param claim the name of a PersistentVolumeClaim
/// @param path the folder in it below which the job has a folder of its own, or null for the
///   claim's root
/// @param onDelete what becomes of the journal when the job is deleted
public record Storage(String claim, @Nullable String path, OnDelete onDelete) {
  public Storage {
    if (claim.isBlank()) {
      throw new IllegalArgumentException("a claim has a name");
    }
  }
}
