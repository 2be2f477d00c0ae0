package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Size;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What became of a plan.
///
/// @param phase of a manual plan: Pending, Succeeded or Failed; of an automatic one Scaling or
///   Succeeded
/// @param reason for people: what was done, or why nothing
/// @param createdPods those of `createPods` that were made: none is made twice
/// @param refusedPods those of them that the cluster would not take when it was last asked; of many
///   the first
@JsonClassDescription("What became of it.")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScalePlanStatus(
    @JsonPropertyDescription(
            "What became of the plan. A user's is Pending, Succeeded or Failed; a master's Scaling or Succeeded.")
        @Nullable String phase,
    @JsonPropertyDescription("What was done, or why nothing was, for people.")
        @Nullable String reason,
    @JsonPropertyDescription("The generation of the plan that this was said of.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription("When the plan was first seen.") @Nullable String createTime,
    @JsonPropertyDescription("When the plan was done or refused.") @Nullable String finishTime,
    @JsonPropertyDescription("Those of createPods that were made. None is made twice.")
        @Nullable List<String> createdPods,
    @JsonPropertyDescription(
            "Those of createPods that the cluster would not take, the first of them, and why. They are tried again.")
        @Size(max = RefusedPod.MOST)
        @Nullable List<RefusedPod> refusedPods) {

  /// Of which no pod was refused.
  public ScalePlanStatus(
      @Nullable String phase,
      @Nullable String reason,
      @Nullable Long observedGeneration,
      @Nullable String createTime,
      @Nullable String finishTime,
      @Nullable List<String> createdPods) {
    this(phase, reason, observedGeneration, createTime, finishTime, createdPods, null);
  }
}
