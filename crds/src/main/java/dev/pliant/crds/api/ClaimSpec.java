package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import org.jspecify.annotations.Nullable;

/// Where a job's journal is kept.
///
/// @param claim the name of a PersistentVolumeClaim
/// @param path the folder in it; one named after the job where none is given
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ClaimSpec(@Required String claim, @Nullable String path) {}
