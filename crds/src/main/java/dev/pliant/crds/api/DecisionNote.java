package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;

/// Something that a master decided, as the operator tells it to people: an Event of the job.
///
/// @param number counts the job's decisions, from 1
/// @param rule the rule that fired, by the name the documentation gives it
/// @param message what it is about, what is done, and from what that follows
public record DecisionNote(
    @JsonPropertyDescription("Counts the job's decisions, from 1.")
        @Required
        @Min(1)
        @Max(Integer.MAX_VALUE)
        long number,
    @JsonPropertyDescription("The rule that fired.") @Required @Size(max = 64) String rule,
    @JsonPropertyDescription("What is done, and from what that follows.")
        @Required
        @Size(max = DecisionNote.MAX_MESSAGE)
        String message) {
  /// What is longer is cut.
  public static final int MAX_MESSAGE = 800;
}
