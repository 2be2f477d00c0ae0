package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import java.util.List;

/// What stays known of a job's decisions once its master is gone.
///
/// @param decisions how many its master made
/// @param newest the newest of them, oldest first
/// @param journal where all of them are
public record JobHistory(
    @JsonPropertyDescription("How many decisions the job's master made.") @Required long decisions,
    @JsonPropertyDescription("The newest of them, oldest first.") @Required
        List<DecisionNote> newest,
    @JsonPropertyDescription("Where the full journal is.")
        @Required
        @Size(max = JobHistory.MAX_SENTENCE)
        String journal) {
  /// How much of a note is kept in a job's status.
  public static final int MAX_NOTE = 256;

  public static final int MAX_SENTENCE = 512;
}
