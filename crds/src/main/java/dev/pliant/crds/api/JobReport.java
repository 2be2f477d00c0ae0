package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What a master says of its job.
///
/// @param phase Pending, Running, Suspended, Stopping, Succeeded, Failed or Stopped
/// @param message for people, why
/// @param wish how many workers the master wishes
/// @param restarts nodes that took the place of one that ended
/// @param decisions what it decided last, oldest first
/// @param generation of the job, which all of this follows; null where the master does not tell, 0
///   where it knows of none that it follows
/// @param sizes what that generation says of numbers and sizes, as a digest
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobReport(
    @JsonPropertyDescription(
            "Where the job is: Pending, Running, Suspended, Stopping, Succeeded, Failed or Stopped.")
        @Nullable JobStatePhase phase,
    @JsonPropertyDescription("Why it is there, for people.") @Nullable String message,
    @JsonPropertyDescription("How many workers the master wishes.")
        @Min(0)
        @Max(ApiRules.MAX_REPLICAS)
        @Nullable Integer wish,
    @JsonPropertyDescription("The fewest workers that the job may have.")
        @Min(0)
        @Max(ApiRules.MAX_REPLICAS)
        @Nullable Integer min,
    @JsonPropertyDescription("The most workers that the job may have.")
        @Min(0)
        @Max(ApiRules.MAX_REPLICAS)
        @Nullable Integer max,
    @JsonPropertyDescription("Nodes that took the place of one that ended.")
        @Min(0)
        @Max(999_999_999)
        @Nullable Integer restarts,
    @JsonPropertyDescription("What the master decided last, oldest first.")
        @Size(max = ApiRules.MAX_DECISIONS)
        @Nullable List<DecisionNote> decisions,
    @JsonPropertyDescription("The generation of the job that the master follows.") @Min(0)
        @Nullable Long generation,
    @JsonPropertyDescription(
            "A digest of what the job's spec says of numbers and sizes. While it is the same, the numbers and sizes of this plan hold for a master that knows nothing else.")
        @Size(max = 64)
        @Nullable String sizes) {

  /// Without a word of why, or of what it follows.
  public JobReport(
      @Nullable JobStatePhase phase,
      @Nullable String message,
      @Nullable Integer wish,
      @Nullable Integer min,
      @Nullable Integer max,
      @Nullable Integer restarts) {
    this(phase, message, wish, min, max, restarts, null, null, null);
  }
}
