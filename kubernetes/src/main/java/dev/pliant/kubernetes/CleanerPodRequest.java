package dev.pliant.kubernetes;

import dev.pliant.crds.ElasticJob;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Folders of a deleted job that a pod is to delete.
///
/// @param owner the job, as [JobNames#owner] makes it
/// @param job what its spec means, or null where it is invalid
/// @param restricted whether the namespace demands Pod Security's `restricted`
public record CleanerPodRequest(
    JobNames names,
    OwnerReference owner,
    @Nullable ElasticJob job,
    List<ClaimFolder> folders,
    Images images,
    boolean restricted) {
  public CleanerPodRequest {
    folders = List.copyOf(folders);
    if (folders.isEmpty()) {
      throw new IllegalArgumentException("a cleaner has a folder to delete");
    }
  }
}
