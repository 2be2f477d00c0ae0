package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import org.jspecify.annotations.Nullable;

/// Where and how often a job keeps its model, optimizer and data position.
///
/// @param claim the name of a PersistentVolumeClaim
/// @param path the folder, in the claim where there is one
/// @param every how many steps lie between two
/// @param keep how many of the newest are kept
/// @param from where a job without a checkpoint of its own starts from
/// @param withDataPosition whether it also takes over which records are done
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "has(self.claim) || has(self.path)",
    message = "a checkpoint needs a claim, a path, or both")
@ValidationRule(
    value = "has(self.from) || !has(self.withDataPosition) || !self.withDataPosition",
    message = "withDataPosition needs 'from', the checkpoint to start from")
public record CheckpointSpec(
    @JsonPropertyDescription(
            "The name of a PersistentVolumeClaim, which every node mounts at /checkpoints.")
        @Size(min = 1, max = 253)
        @Nullable String claim,
    @JsonPropertyDescription(
            "The folder: in the claim where there is one, else in the container. Checkpoints lie in NAMESPACE/NAME/UID of the job below it.")
        @Size(min = 1, max = 1024)
        @Nullable String path,
    @JsonPropertyDescription(
            "How many steps lie between two checkpoints: 100 where it is not given.")
        @Min(1)
        @Max(1_000_000_000)
        @Nullable Integer every,
    @JsonPropertyDescription(
            "How many of the newest checkpoints are kept: 3 where it is not given.")
        @Min(1)
        @Max(1_000)
        @Nullable Integer keep,
    @JsonPropertyDescription(
            "Where to take model and optimizer from when the job starts: 'latest' for the newest checkpoint of an earlier job of the same name, or a path (in the claim where there is one).")
        @Size(min = 1, max = 1024)
        @Nullable String from,
    @JsonPropertyDescription(
            "With 'from': also take over which records are done. They count as taken over, not as trained by this job.")
        @Nullable Boolean withDataPosition) {}
