package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
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
@ValidationRule(value = ApiRules.WORKERS, message = ApiRules.WORKERS_SAID)
@ValidationRule(value = ApiRules.KNOWN_ROLES, message = ApiRules.KNOWN_ROLES_SAID)
@ValidationRule(value = ApiRules.TEMPLATES, message = ApiRules.TEMPLATES_SAID)
@ValidationRule(value = ApiRules.ONE_WORKER, message = ApiRules.ONE_WORKER_SAID)
@ValidationRule(value = ApiRules.SCALED_WITHIN, message = ApiRules.SCALED_WITHIN_SAID)
@ValidationRule(value = ApiRules.WORKER_ONCE, message = ApiRules.WORKER_ONCE_SAID)
@ValidationRule(value = ApiRules.SERVERS_ONCE, message = ApiRules.SERVERS_ONCE_SAID)
@ValidationRule(value = ApiRules.OTHERS_ONCE, message = ApiRules.OTHERS_ONCE_SAID)
@ValidationRule(value = ApiRules.SCALER_STAYS, message = ApiRules.SCALER_STAYS_SAID)
@ValidationRule(value = ApiRules.STORAGE_STAYS, message = ApiRules.STORAGE_STAYS_SAID)
public record JobSpec(
    @Size(max = 64)
        @ValidationRule(
            value =
                "self in ['AllreduceStrategy', 'ring-allreduce', 'ParameterServerStrategy', 'parameter_server', 'Local']",
            message =
                "distributionStrategy is AllreduceStrategy (or ring-allreduce), ParameterServerStrategy (or parameter_server), or Local")
        @Nullable String distributionStrategy,
    @Size(max = 64)
        @ValidationRule(
            value = "self in ['manual', 'single-job', 'cluster']",
            message = "optimizeMode is manual, single-job or cluster")
        @Nullable String optimizeMode,
    @Size(max = 253) @Nullable String brainService,
    @Size(max = 32) @Nullable Map<String, IntOrString> resourceLimits,
    @PreserveUnknownFields @Nullable JsonNode envs,
    @Nullable Boolean suspend,
    @Nullable ClaimSpec storage,
    @Nullable CheckpointSpec checkpoint,
    @Min(0) @Max(Integer.MAX_VALUE) @Nullable Integer ttl,
    @Nullable ScalerKind scaler,
    @Nullable CleanPodPolicy cleanPodPolicy,
    @Nullable Boolean enableElasticScheduling,
    @Nullable Boolean enableDynamicSharding,
    @Size(max = ApiRules.MAX_ROLES) @Nullable Map<String, RoleSpec> replicaSpecs,
    @Nullable RoleSpec worker,
    @Nullable RoleSpec ps,
    @Nullable RoleSpec parameterServer,
    @JsonProperty("parameter_server") @Nullable RoleSpec parameterServerOfSeed,
    @Nullable RoleSpec chief,
    @Nullable RoleSpec evaluator,
    @Nullable RoleSpec master,
    @JsonProperty("dlrover-master") @Nullable RoleSpec masterOfDlrover) {}
