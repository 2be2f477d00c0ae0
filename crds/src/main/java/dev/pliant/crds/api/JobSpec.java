package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
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
@JsonClassDescription("What the job asks for.")
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(value = ApiRules.WORKERS, message = ApiRules.WORKERS_SAID)
@ValidationRule(value = ApiRules.KNOWN_ROLES, message = ApiRules.KNOWN_ROLES_SAID)
@ValidationRule(value = ApiRules.TEMPLATES, message = ApiRules.TEMPLATES_SAID)
@ValidationRule(value = ApiRules.ONE_WORKER, message = ApiRules.ONE_WORKER_SAID)
@ValidationRule(value = ApiRules.SCALED_WITHIN, message = ApiRules.SCALED_WITHIN_SAID)
@ValidationRule(value = ApiRules.SCALED_INTO, message = ApiRules.SCALED_WITHIN_SAID)
@ValidationRule(value = ApiRules.WORKER_ONCE, message = ApiRules.WORKER_ONCE_SAID)
@ValidationRule(value = ApiRules.SERVERS_ONCE, message = ApiRules.SERVERS_ONCE_SAID)
@ValidationRule(value = ApiRules.OTHERS_ONCE, message = ApiRules.OTHERS_ONCE_SAID)
@ValidationRule(value = ApiRules.SCALER_STAYS, message = ApiRules.SCALER_STAYS_SAID)
@ValidationRule(value = ApiRules.STRATEGY_STAYS, message = ApiRules.STRATEGY_STAYS_SAID)
@ValidationRule(value = ApiRules.PROCESSES_STAY, message = ApiRules.PROCESSES_STAY_SAID)
@ValidationRule(value = ApiRules.STORAGE_STAYS, message = ApiRules.STORAGE_STAYS_SAID)
public record JobSpec(
    @JsonPropertyDescription(
            "How the workers train together: AllreduceStrategy (or ring-allreduce), ParameterServerStrategy (or parameter_server), or Local, the default. It stays as it was made.")
        @Size(max = 64)
        @ValidationRule(
            value =
                "self in ['AllreduceStrategy', 'ring-allreduce', 'ParameterServerStrategy', 'parameter_server', 'Local']",
            message =
                "distributionStrategy is AllreduceStrategy (or ring-allreduce), ParameterServerStrategy (or parameter_server), or Local")
        @Nullable String distributionStrategy,
    @JsonPropertyDescription(
            "Who decides about the job's size: manual (its users, the default), single-job (its master, from its own measurements) or cluster (Brain, from those of all jobs). So far users decide in every mode, and the mode only sets the bounds of roles that have none.")
        @Size(max = 64)
        @ValidationRule(
            value = "self in ['manual', 'single-job', 'cluster']",
            message = "optimizeMode is manual, single-job or cluster")
        @Nullable String optimizeMode,
    @JsonPropertyDescription("Where Brain answers, HOST:PORT. Without effect so far.")
        @Size(max = 253)
        @Nullable String brainService,
    @JsonPropertyDescription(
            "What all nodes of the job together may ask for at the most, by resource: cpu, memory and others, as Kubernetes writes amounts.")
        @Size(max = 32)
        @Nullable Map<String, IntOrString> resourceLimits,
    @JsonPropertyDescription(
            "Variables of every process of the job: by name, a text or an object with a value. A container's own env wins.")
        @PreserveUnknownFields
        @Nullable JsonNode envs,
    @JsonPropertyDescription(
            "Ends the job's pods in order and keeps its journal. Taken back, the job goes on where it was.")
        @Nullable Boolean suspend,
    @JsonPropertyDescription(
            "Where the master keeps its journal. Without it the journal lies in the master's pod, and with the pod is lost: the job then begins anew from its checkpoint.")
        @Nullable ClaimSpec storage,
    @JsonPropertyDescription(
            "Where and how often the job keeps its model, optimizer and data position.")
        @Nullable CheckpointSpec checkpoint,
    @JsonPropertyDescription(
            "Seconds that a job which ended is kept. Then it is deleted, with all that it owns. Without it, it stays.")
        @Min(0)
        @Max(Integer.MAX_VALUE)
        @Nullable Integer ttl,
    @JsonPropertyDescription(
            "Who makes the pods: ElasticJobScaler (the operator, from the ScalePlan of the job's master; the default), PodScaler (the master itself) or JobResource (the operator, from the JobResource of the master). It stays as it was made.")
        @Nullable ScalerKind scaler,
    @JsonPropertyDescription(
            "Which pods of a job that ended are removed: None, Running (the default: those that ended are kept for their logs) or All.")
        @Nullable CleanPodPolicy cleanPodPolicy,
    @JsonPropertyDescription("Taken, and without effect: every job is scheduled elastically.")
        @Nullable Boolean enableElasticScheduling,
    @JsonPropertyDescription("Taken, and without effect: a training asks for shards by itself.")
        @Nullable Boolean enableDynamicSharding,
    @JsonPropertyDescription(
            "The job's roles by name: worker, ps, chief, evaluator. Each may stand directly under spec instead. kubectl scale writes replicaSpecs.worker.replicas, which counts in both shapes.")
        @Size(max = ApiRules.MAX_ROLES)
        @Nullable Map<String, RoleSpec> replicaSpecs,
    @JsonPropertyDescription("The nodes that train.") @Nullable RoleSpec worker,
    @JsonPropertyDescription("The parameter servers: each holds a part of the model.")
        @Nullable RoleSpec ps,
    @JsonPropertyDescription("The parameter servers, in another spelling of ps.")
        @Nullable RoleSpec parameterServer,
    @JsonPropertyDescription("The parameter servers, in another spelling of ps.")
        @JsonProperty("parameter_server")
        @Nullable RoleSpec parameterServerOfSeed,
    @JsonPropertyDescription("The worker that also keeps checkpoints, in TensorFlow's estimators.")
        @Nullable RoleSpec chief,
    @JsonPropertyDescription("The node that measures the model while it is trained.")
        @Nullable RoleSpec evaluator,
    @JsonPropertyDescription(
            "The job's master. Pliant brings its own; of this role its resources are kept.")
        @Nullable RoleSpec master,
    @JsonPropertyDescription("The job's master, in another spelling of master.")
        @JsonProperty("dlrover-master")
        @Nullable RoleSpec masterOfDlrover) {}
