package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.crd.generator.annotation.SelectableField;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Required;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
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
@JsonClassDescription("What the plan says.")
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(value = ApiRules.SOMETHING_TO_DO, message = ApiRules.SOMETHING_TO_DO_SAID)
@ValidationRule(value = ApiRules.EPOCH_NEVER_FALLS, message = ApiRules.EPOCH_NEVER_FALLS_SAID)
@ValidationRule(
    value =
        "!has(self.replicaResourceSpecs) || self.replicaResourceSpecs.all(role, role in "
            + ApiRules.NODE_ROLES
            + ")",
    message = "a role of replicaResourceSpecs is one of " + ApiRules.NODE_ROLES_SAID)
public record ScalePlanSpec(
    @JsonPropertyDescription("The name of the job that the plan is for, in the same namespace.")
        @Required
        @Size(min = 1, max = 253)
        @SelectableField
        String ownerJob,
    @JsonPropertyDescription("How many nodes of which size, by role.")
        @Size(max = ApiRules.MAX_ROLES)
        @Nullable Map<String, RolePlan> replicaResourceSpecs,
    @JsonPropertyDescription(
            "In a master's plan: all nodes that are to run. In a user's: nodes to add.")
        @Size(max = ApiRules.MAX_PODS)
        @Nullable List<PodPlan> createPods,
    @JsonPropertyDescription("Nodes that are to go, in order and with their grace.")
        @Size(max = ApiRules.MAX_PODS)
        @Nullable List<PodPlan> removePods,
    @JsonPropertyDescription("Nodes to replace by others of the size that is given.")
        @Size(max = ApiRules.MAX_PODS)
        @Nullable List<PodPlan> migratePods,
    @JsonPropertyDescription(
            "Where the parameter servers are, HOST:PORT each. Written by the master.")
        @Size(max = ApiRules.MAX_PODS)
        @Nullable List<String> psHosts,
    @JsonPropertyDescription(
            "Which master speaks. A lower one than before is refused. Written by the master.")
        @Min(0)
        @Nullable Long masterEpoch,
    @JsonPropertyDescription("What the master says of its job. Written by the master.")
        @Nullable JobReport job) {}
