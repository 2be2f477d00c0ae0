package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a job asks for. Roles stand in either of two shapes: by name under `replicaSpecs`, or
/// directly here under one of their spellings; `replicaSpecs.worker.replicas`, which `kubectl
/// scale` writes, counts before the same number of the other shape.
///
/// @param envs given to every process of the job: by name, a text or an object with a `value`
/// @param ttl seconds that a job which ended is kept
/// @param scaler who makes the pods: see [ScalerKind]
/// @param cleanPodPolicy which pods of a job that ended are removed: see [CleanPodPolicy]
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobSpec(
    @Nullable String distributionStrategy,
    @Nullable String optimizeMode,
    @Nullable String brainService,
    @Nullable Map<String, IntOrString> resourceLimits,
    @PreserveUnknownFields @Nullable JsonNode envs,
    @Nullable Boolean suspend,
    @Nullable ClaimSpec storage,
    @Nullable CheckpointSpec checkpoint,
    @Nullable Integer ttl,
    @Nullable ScalerKind scaler,
    @Nullable CleanPodPolicy cleanPodPolicy,
    @Nullable Boolean enableElasticScheduling,
    @Nullable Boolean enableDynamicSharding,
    @Nullable Map<String, RoleSpec> replicaSpecs,
    @Nullable RoleSpec worker,
    @Nullable RoleSpec ps,
    @Nullable RoleSpec parameterServer,
    @JsonProperty("parameter_server") @Nullable RoleSpec parameterServerOfSeed,
    @Nullable RoleSpec chief,
    @Nullable RoleSpec evaluator,
    @Nullable RoleSpec master,
    @JsonProperty("dlrover-master") @Nullable RoleSpec masterOfDlrover) {}
