package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.generator.annotation.Required;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a plan says. A master has one plan for its job and changes it as it decides: `createPods`
/// are all nodes that are to run, `removePods` those that are to go in order and with their grace;
/// pods of the job that stand in neither are removed at once. A user's plan says how many of which
/// size, or names pods to remove or replace.
///
/// @param replicaResourceSpecs by role
/// @param migratePods pods to replace by others of that size
/// @param psHosts where parameter servers are, HOST:PORT
/// @param masterEpoch which master speaks; the API server refuses a lower one than before
/// @param job what the master says of the job
@JsonInclude(JsonInclude.Include.NON_NULL)
public record ScalePlanSpec(
    @Required String ownerJob,
    @Nullable Map<String, RolePlan> replicaResourceSpecs,
    @Nullable List<PodPlan> createPods,
    @Nullable List<PodPlan> removePods,
    @Nullable List<PodPlan> migratePods,
    @Nullable List<String> psHosts,
    @Nullable Long masterEpoch,
    @Nullable JobReport job) {}
