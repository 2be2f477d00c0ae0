package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What became of a plan.
///
/// @param phase of a manual plan: Pending, Succeeded or Failed; of an automatic one Scaling or
///   Succeeded
/// @param reason for people: what was done, or why nothing
/// @param createdPods those of `createPods` that were made: none is made twice
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScalePlanStatus(
    @Nullable String phase,
    @Nullable String reason,
    @Nullable Long observedGeneration,
    @Nullable String createTime,
    @Nullable String finishTime,
    @Nullable List<String> createdPods) {}
