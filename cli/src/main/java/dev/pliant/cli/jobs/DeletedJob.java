package dev.pliant.cli.jobs;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What came of deleting a job.
///
/// @param messages for people, a line each
/// @param checkpoints those of the job that did not lie in what was deleted with it; null where
///   there are none
public record DeletedJob(List<String> messages, @Nullable Checkpoints checkpoints) {
  public DeletedJob {
    messages = List.copyOf(messages);
  }

  /// Checkpoints outside of the job.
  ///
  /// @param deleted whether they were deleted, too; else they are still there
  /// @param claim the claim that `folder` is on, or null for this machine
  /// @param count how many there are, or null where that is not known
  /// @param bytes how large they are together, or null where that is not known
  public record Checkpoints(
      boolean deleted,
      @Nullable String claim,
      String folder,
      @Nullable Integer count,
      @Nullable Long bytes) {

    /// For programs.
    public void fields(JsonGenerator json) throws IOException {
      json.writeBooleanField("deleted", deleted);
      if (claim != null) {
        json.writeStringField("claim", claim);
      }
      json.writeStringField("folder", folder);
      if (count != null) {
        json.writeNumberField("count", count);
      }
      if (bytes != null) {
        json.writeNumberField("bytes", bytes);
      }
    }
  }
}
