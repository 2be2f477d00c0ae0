package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import org.jspecify.annotations.Nullable;

/// What a master says of its job.
///
/// @param phase Pending, Running, Stopping, Succeeded, Failed or Stopped
/// @param message for people, why
/// @param wish how many workers the master wishes
/// @param restarts nodes that took the place of one that ended
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobReport(
    @Nullable JobStatePhase phase,
    @Nullable String message,
    @Min(0) @Max(ApiRules.MAX_REPLICAS) @Nullable Integer wish,
    @Min(0) @Max(ApiRules.MAX_REPLICAS) @Nullable Integer min,
    @Min(0) @Max(ApiRules.MAX_REPLICAS) @Nullable Integer max,
    @Min(0) @Max(999_999_999) @Nullable Integer restarts) {}
