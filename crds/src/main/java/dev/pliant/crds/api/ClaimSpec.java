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
/// @param path the folder in it below which the job has a folder of its own; null for the claim's
///   root
/// @param onDelete what becomes of the journal when the job is deleted
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
            "A folder in the claim. The journal lies below it in NAMESPACE/NAME/UID of the job; below the claim's root where no path is given.")
        @Size(min = 1, max = 1024)
        @Nullable String path,
    @JsonPropertyDescription(
            "What happens to the journal when the job is deleted. Delete (the default): the operator deletes it. Retain: it stays on the claim.")
        @Nullable OnDelete onDelete) {}
