package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import org.jspecify.annotations.Nullable;

/// One role of a job: how many of what.
///
/// @param template a pod template; Kubernetes owns its shape, so all its fields are kept
/// @param restartPolicy taken, and without effect: the master replaces what ended
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value =
        "!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",
    message =
        "minReplicas is more than maxReplicas: a role grows and shrinks from the one to the other")
@ValidationRule(
    value = "!has(self.replicas) || !has(self.maxReplicas) || self.replicas <= self.maxReplicas",
    message = "replicas is more than maxReplicas, the most that this role may have")
@ValidationRule(
    value = "!has(self.replicas) || !has(self.minReplicas) || self.minReplicas <= self.replicas",
    message = "replicas is less than minReplicas, the fewest that this role may have")
public record RoleSpec(
    @Min(0) @Max(ApiRules.MAX_REPLICAS) @Nullable Integer replicas,
    @Min(0) @Max(ApiRules.MAX_REPLICAS) @Nullable Integer minReplicas,
    @Min(1) @Max(ApiRules.MAX_REPLICAS) @Nullable Integer maxReplicas,
    @Min(0) @Max(1_000) @Nullable Integer restartCount,
    @Nullable Boolean autoScale,
    @Min(0) @Max(1_000_000_000) @Nullable Integer restartTimeout,
    @Nullable IntOrString priority,
    @Min(1) @Max(1_024) @Nullable Integer nprocPerNode,
    @Size(max = 16)
        @ValidationRule(
            value = "self in ['Never', 'Always', 'OnFailure', 'ExitCode']",
            message =
                "restartPolicy is Never, Always, OnFailure or ExitCode, and has no effect: the job's master replaces what ended")
        @Nullable String restartPolicy,
    @PreserveUnknownFields @Nullable JsonNode template) {}
