package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.DeletedJob;
import dev.pliant.cli.jobs.DeletedJob.Checkpoints;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.ClaimFolder;
import dev.pliant.kubernetes.ClaimFolder.Content;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/// What a deleted job leaves on claims.
final class ClaimsLeft {
  private ClaimsLeft() {}

  /// @param job as it was when it was deleted
  /// @param line the line that is always printed
  /// @param notCleaned why folders that were to be deleted with the job are still there, if they
  ///   are
  static DeletedJob of(ElasticJobResource job, String line, Optional<String> notCleaned) {
    List<String> lines = new ArrayList<>(List.of(line));
    notCleaned.ifPresent(lines::add);
    if (ClaimFolder.journalStays(job)) {
      ClaimFolder.journal(job)
          .ifPresent(folder -> lines.add("The journal stays " + at(folder) + "."));
    }
    Optional<ClaimFolder> checkpoints = ClaimFolder.checkpoints(job);
    boolean asked =
        ClaimFolder.deletedWith(job).stream().anyMatch(f -> f.content() == Content.CHECKPOINTS);
    boolean deleted = asked && notCleaned.isEmpty();
    checkpoints.ifPresent(folder -> {
      if (deleted) {
        lines.add("Deleted the checkpoints %s.".formatted(at(folder)));
      } else if (!asked) {
        lines.add(
            "Checkpoints stay %s, if the job saved any. To delete them, mount the claim in a pod and remove that folder."
                .formatted(at(folder)));
      }
    });
    return new DeletedJob(
        lines,
        checkpoints
            .map(folder -> new Checkpoints(deleted, folder.claim(), folder.folder(), null, null))
            .orElse(null));
  }

  private static String at(ClaimFolder folder) {
    return "on claim '%s' in folder %s".formatted(folder.claim(), folder.folder());
  }
}
