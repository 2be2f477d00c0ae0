package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// How many nodes of a role, and how large.
///
/// @param resource by name: `cpu`, `memory`, `disk`, `gpu` or a resource of Kubernetes; see
///   `dev.pliant.crds.ResourceAmounts`
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RolePlan(@Nullable Integer replicas, @Nullable Map<String, IntOrString> resource) {}
