package dev.pliant.operator.decision;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.api.ClaimSpec;
import dev.pliant.crds.api.JobSpec;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.kubernetes.JobNames;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A job as the cluster has it.
///
/// @param names null where the job's own name leaves no room for them; then it has a fault
/// @param deleting whether it is deleted, and there until its finalizers are removed
/// @param job what its spec means, or null where that makes no sense
/// @param fault why it makes none; null where it does
/// @param status what the operator said of it last
/// @param cleanup what it has on claims
public record JobView(
    @Nullable JobNames names,
    long generation,
    boolean deleting,
    JobSpec spec,
    @Nullable ElasticJob job,
    @Nullable String fault,
    @Nullable JobStatus status,
    ClaimCleanup cleanup) {
  public JobView {
    if ((job == null) == (fault == null)) {
      throw new IllegalArgumentException("a job either means something or has a fault");
    }
    if (names == null && fault == null) {
      throw new IllegalArgumentException("a job without names has a fault");
    }
  }

  boolean suspend() {
    return Boolean.TRUE.equals(spec.suspend());
  }

  int masterStarts() {
    return status == null ? 0 : Objects.requireNonNullElse(status.masterStarts(), 0);
  }

  long masterEpoch() {
    return status == null ? 0 : Objects.requireNonNullElse(status.masterEpoch(), 0L);
  }

  /// Where the job's journal is, in a sentence.
  String journalPlace() {
    ClaimSpec storage = spec.storage();
    if (storage == null || names == null) {
      return "The full journal is deleted with the master's pod. To keep it, give the job a claim in spec.storage.";
    }
    String folder = names.job().namespace() + "/" + names.job().name();
    return "The full journal is on claim '%s', in folder '%s'."
        .formatted(
            storage.claim(), storage.path() == null ? folder : storage.path() + "/" + folder);
  }
}
