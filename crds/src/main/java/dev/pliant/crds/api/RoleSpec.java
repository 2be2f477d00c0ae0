package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.kubernetes.api.model.IntOrString;
import org.jspecify.annotations.Nullable;

/// One role of a job: how many of what.
///
/// @param template a pod template; Kubernetes owns its shape, so all its fields are kept
/// @param restartPolicy taken, and without effect: the master replaces what ended
@JsonInclude(JsonInclude.Include.NON_NULL)
public record RoleSpec(
    @Nullable Integer replicas,
    @Nullable Integer minReplicas,
    @Nullable Integer maxReplicas,
    @Nullable Integer restartCount,
    @Nullable Boolean autoScale,
    @Nullable Integer restartTimeout,
    @Nullable IntOrString priority,
    @Nullable Integer nprocPerNode,
    @Nullable String restartPolicy,
    @PreserveUnknownFields @Nullable JsonNode template) {}
