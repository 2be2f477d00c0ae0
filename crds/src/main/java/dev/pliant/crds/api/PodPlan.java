package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One node of a job, by its pod.
///
/// @param name of the pod: JOB-ROLE-NUMBER
/// @param type the role
/// @param id the node's number
/// @param rankIndex the place in its role that the node fills, however often it was replaced
/// @param restarts how many failures of its line have used up restarts
@JsonInclude(JsonInclude.Include.NON_NULL)
public record PodPlan(
    @JsonPropertyDescription("The node's pod: JOB-ROLE-NUMBER.") @Required @Size(min = 1, max = 253)
        String name,
    @JsonPropertyDescription("The node's role.") @Size(min = 1, max = 63) @Nullable String type,
    @JsonPropertyDescription("The node's number in its role.") @Min(0) @Max(999_999_999)
        @Nullable Integer id,
    @JsonPropertyDescription(
            "The place in its role that the node fills, however often it was replaced.")
        @Min(0)
        @Max(999_999_999)
        @Nullable Integer rankIndex,
    @JsonPropertyDescription(
            "How many failures of the node and those before it have used up restarts.")
        @Min(0)
        @Max(999_999_999)
        @Nullable Integer restarts,
    @JsonPropertyDescription(
            "The node's size, by resource: cpu (cores), memory and disk (MiB where it is a plain number), gpu, or a resource of Kubernetes.")
        @Size(max = 16)
        @Nullable Map<String, IntOrString> resource) {}
