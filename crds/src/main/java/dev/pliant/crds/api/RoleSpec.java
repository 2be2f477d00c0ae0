package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.crd.generator.annotation.PreserveUnknownFields;
import io.fabric8.generator.annotation.Max;
import io.fabric8.generator.annotation.Min;
import io.fabric8.generator.annotation.Size;
import io.fabric8.generator.annotation.ValidationRule;
import io.fabric8.kubernetes.api.model.IntOrString;
import org.jspecify.annotations.Nullable;

/// One role of a job: how many of what.
///
/// @param template a pod template; Kubernetes owns its shape, so all its fields are kept
/// @param restartPolicy taken, and without effect: the master replaces what ended
@JsonInclude(JsonInclude.Include.NON_NULL)
@ValidationRule(
    value =
        "!has(self.minReplicas) || !has(self.maxReplicas) || self.minReplicas <= self.maxReplicas",
    message =
        "minReplicas is more than maxReplicas: a role grows and shrinks from the one to the other")
@ValidationRule(
    value = "!has(self.replicas) || !has(self.maxReplicas) || self.replicas <= self.maxReplicas",
    message = "replicas is more than maxReplicas, the most that this role may have")
@ValidationRule(
    value = "!has(self.replicas) || !has(self.minReplicas) || self.minReplicas <= self.replicas",
    message = "replicas is less than minReplicas, the fewest that this role may have")
@ValidationRule(
    value =
        "!has(self.priority) || (type(self.priority) == string ? self.priority.matches('^(0|1|0?[.][0-9]+|1[.]0+|[a-z0-9.-]*[a-z][a-z0-9.-]*)$') : self.priority <= 1)",
    message =
        "priority is the name of a PriorityClass, or from 0 to 1 the share of the role that is of the class high")
public record RoleSpec(
    @JsonPropertyDescription(
            "How many there are to be: the wish, which users, kubectl scale and autoscalers write. It is kept from minReplicas to maxReplicas. 0 workers of a new job are as if it were not given.")
        @Min(0)
        @Max(ApiRules.MAX_REPLICAS)
        @Nullable Integer replicas,
    @JsonPropertyDescription(
            "The fewest that the role may shrink to. Where it is not given: 1 worker or parameter server, none of another role.")
        @Min(0)
        @Max(ApiRules.MAX_REPLICAS)
        @Nullable Integer minReplicas,
    @JsonPropertyDescription(
            "The most that the role may grow to. Where it is not given: what resourceLimits allow, else 60 workers or 15 parameter servers.")
        @Min(1)
        @Max(ApiRules.MAX_REPLICAS)
        @Nullable Integer maxReplicas,
    @JsonPropertyDescription(
            "How often a node may be replaced after a failure of its own program before the job fails: 3 where it is not given. Nodes that were killed do not count.")
        @Min(0)
        @Max(1_000)
        @Nullable Integer restartCount,
    @JsonPropertyDescription("Whether the optimizer may change this role. Without effect so far.")
        @Nullable Boolean autoScale,
    @JsonPropertyDescription(
            "Seconds that a node which takes another's place may take until it runs. One that takes longer is given up: that uses up a restart, and another takes its place. 0, or where it is not given: as long as it takes.")
        @Min(0)
        @Max(1_000_000_000)
        @Nullable Integer restartTimeout,
    @JsonPropertyDescription(
            "The PriorityClass of the role's pods; or a share from 0 to 1, as a text: that much of the role is of the class high, its first node always, and the rest is of the class low. The classes are the cluster's.")
        @Nullable IntOrString priority,
    @JsonPropertyDescription(
            "How many training processes each node runs: 1 where it is not given. Of workers it stays as it was made.")
        @Min(1)
        @Max(1_024)
        @Nullable Integer nprocPerNode,
    @JsonPropertyDescription("Taken, and without effect: the job's master replaces what ended.")
        @Size(max = 16)
        @ValidationRule(
            value = "self in ['Never', 'Always', 'OnFailure', 'ExitCode']",
            message =
                "restartPolicy is Never, Always, OnFailure or ExitCode, and has no effect: the job's master replaces what ended")
        @Nullable String restartPolicy,
    @JsonPropertyDescription(
            "The pod of a node, as Kubernetes has it. The container named main, else the first, is the training process and needs a command; the agent is put before it.")
        @PreserveUnknownFields
        @Nullable JsonNode template) {}
