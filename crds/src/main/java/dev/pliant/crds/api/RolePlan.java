package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How many nodes of a role, and how large.
///
/// @param resource by name: `cpu`, `memory`, `disk`, `gpu` or a resource of Kubernetes; see
///   `dev.pliant.crds.ResourceAmounts`
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value = "has(self.replicas) || has(self.resource)",
    message = "say how many of this role there are to be (replicas), how large (resource), or both")
public record RolePlan(
    @JsonPropertyDescription("How many nodes of the role there are to be.")
        @Min(0)
        @Max(ApiRules.MAX_REPLICAS)
        @Nullable Integer replicas,
    @JsonPropertyDescription(
            "The size of each, by resource: cpu (cores), memory and disk (MiB where it is a plain number), gpu, or a resource of Kubernetes.")
        @Size(max = 16)
        @Nullable Map<String, IntOrString> resource) {}
