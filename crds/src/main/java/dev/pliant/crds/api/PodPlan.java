package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
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
    @Required @Size(min = 1, max = 253) String name,
    @Size(min = 1, max = 63) @Nullable String type,
    @Min(0) @Max(999_999_999) @Nullable Integer id,
    @Min(0) @Max(999_999_999) @Nullable Integer rankIndex,
    @Min(0) @Max(999_999_999) @Nullable Integer restarts,
    @Size(max = 16) @Nullable Map<String, IntOrString> resource) {}
