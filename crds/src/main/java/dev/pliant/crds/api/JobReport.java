package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
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
    @Nullable Integer wish,
    @Nullable Integer min,
    @Nullable Integer max,
    @Nullable Integer restarts) {}
