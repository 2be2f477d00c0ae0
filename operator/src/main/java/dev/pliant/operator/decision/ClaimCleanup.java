package dev.pliant.operator.decision;

import dev.pliant.kubernetes.ClaimFolder;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What is known of a job's folders on claims, and of deleting them with the job.
///
/// @param finalizer whether the job has the operator's finalizer
/// @param onClaim whether the job has a journal or checkpoints on a claim
/// @param folders those that are deleted with the job
/// @param deletedAt when the job was deleted, or null
/// @param triedSince when this operator first tried to start the cleaner, or null
/// @param namespaceEnds whether no pod can be made because the namespace is being deleted
public record ClaimCleanup(
    boolean finalizer,
    boolean onClaim,
    List<ClaimFolder> folders,
    @Nullable Instant deletedAt,
    @Nullable Instant triedSince,
    boolean namespaceEnds) {
  /// Of a job that has nothing on a claim.
  public static final ClaimCleanup NONE =
      new ClaimCleanup(false, false, List.of(), null, null, false);

  public ClaimCleanup {
    folders = List.copyOf(folders);
  }
}
