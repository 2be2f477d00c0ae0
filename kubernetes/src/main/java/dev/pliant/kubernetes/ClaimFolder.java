package dev.pliant.kubernetes;

import dev.pliant.crds.api.CheckpointSpec;
import dev.pliant.crds.api.ClaimSpec;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.OnDelete;
import dev.pliant.model.JobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A job's own folder on a claim: `[PATH/]NAMESPACE/NAME/UID`.
///
/// @param claim the name of a PersistentVolumeClaim
/// @param path the folder in it that the job's spec names, or null for the claim's root
/// @param uid the job's
public record ClaimFolder(
    Content content, String claim, @Nullable String path, JobId job, String uid) {
  /// What lies there.
  public enum Content {
    JOURNAL("journal"),
    CHECKPOINTS("checkpoints");

    private final String word;

    Content(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }
  }

  /// Where it is on the claim.
  public String folder() {
    return path(path, JobNames.folder(job, uid));
  }

  static String path(@Nullable String path, String folder) {
    return path == null ? folder : path + "/" + folder;
  }

  /// Where the job's journal is, if it is on a claim.
  public static Optional<ClaimFolder> journal(ElasticJobResource job) {
    ClaimSpec storage = job.getSpec() == null ? null : job.getSpec().storage();
    return storage == null
        ? Optional.empty()
        : Optional.of(of(Content.JOURNAL, storage.claim(), storage.path(), job));
  }

  /// Where the job's checkpoints are, if they are on a claim.
  public static Optional<ClaimFolder> checkpoints(ElasticJobResource job) {
    CheckpointSpec checkpoint = job.getSpec() == null ? null : job.getSpec().checkpoint();
    return checkpoint == null || checkpoint.claim() == null
        ? Optional.empty()
        : Optional.of(of(Content.CHECKPOINTS, checkpoint.claim(), checkpoint.path(), job));
  }

  /// What is deleted with the job.
  public static List<ClaimFolder> deletedWith(ElasticJobResource job) {
    List<ClaimFolder> folders = new ArrayList<>();
    if (!journalStays(job)) {
      journal(job).ifPresent(folders::add);
    }
    Map<String, String> annotations = job.getMetadata().getAnnotations();
    if (annotations != null
        && "true".equals(annotations.get(JobNames.DELETE_CHECKPOINTS_ANNOTATION))) {
      checkpoints(job).ifPresent(folders::add);
    }
    return folders;
  }

  /// Whether the job's spec says that the journal is kept.
  public static boolean journalStays(ElasticJobResource job) {
    ClaimSpec storage = job.getSpec() == null ? null : job.getSpec().storage();
    return storage != null && storage.onDelete() == OnDelete.Retain;
  }

  private static ClaimFolder of(
      Content content, String claim, @Nullable String path, ElasticJobResource job) {
    return new ClaimFolder(
        content,
        claim,
        path,
        new JobId(job.getMetadata().getNamespace(), job.getMetadata().getName()),
        job.getMetadata().getUid());
  }
}
