package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/// Where a job's journal is kept.
///
/// @param claim the name of a PersistentVolumeClaim
/// @param path the folder in it; where none is given, one that is this job's and no later one's
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "!has(self.path) || (!self.path.startsWith('/') && !self.path.contains('..'))",
    message = "path is a folder in the claim: without a slash before it and without '..'")
public record ClaimSpec(
    @JsonPropertyDescription("The name of a PersistentVolumeClaim.")
        @Required
        @Size(min = 1, max = 253)
        String claim,
    @JsonPropertyDescription(
            "The folder in the claim: NAMESPACE/NAME/UID of the job where it is not given; give a path to keep it over a new job of that name.")
        @Size(min = 1, max = 1024)
        @Nullable String path) {}
