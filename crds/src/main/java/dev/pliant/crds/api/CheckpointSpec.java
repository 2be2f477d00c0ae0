package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import org.jspecify.annotations.Nullable;

/// Where and how often a job keeps its model, optimizer and data position.
///
/// @param claim the name of a PersistentVolumeClaim
/// @param path the folder, in the claim where there is one
/// @param every how many steps lie between two
/// @param keep how many of the newest are kept
@JsonInclude(JsonInclude.Include.NON_NULL)
public record CheckpointSpec(
    @Nullable String claim,
    @Nullable String path,
    @Nullable Integer every,
    @Nullable Integer keep) {}
