package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonClassDescription;
import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonPropertyDescription;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the operator knows of a job.
///
/// @param phase one of [JobStatePhase]'s words
/// @param ready for people: workers that run, of those wished, as `2/3`
/// @param replicas worker pods that there are
/// @param selector finds the worker pods; for `kubectl scale` and autoscalers
/// @param directReplicas how many workers were wished directly under `spec`, 0 where there was no
///   number; null where none stand there
/// @param restarts nodes that took the place of one that ended
/// @param master the master's pod
/// @param masterStarts master pods that were ever made: the number of the newest is one less
/// @param masterEpoch the newest epoch that a plan carried
/// @param decisionsTold the number of the newest decision that an Event was written of
/// @param history what its master decided last, once the job is over; else null
@JsonClassDescription("What the operator knows of the job.")
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobStatus(
    @JsonPropertyDescription("The generation of the job that this was said of.")
        @Nullable Long observedGeneration,
    @JsonPropertyDescription(
            "Where the job is: Pending, Running, Stopping, Suspended, Succeeded, Failed or Stopped.")
        @Nullable JobStatePhase phase,
    @JsonPropertyDescription("Why it is there, for people.") @Nullable String message,
    @JsonPropertyDescription("Workers that are ready, of those that are wished: 2/3.")
        @Nullable String ready,
    @JsonPropertyDescription("Worker pods that there are.") @Nullable Integer replicas,
    @JsonPropertyDescription("Worker pods that are ready.") @Nullable Integer readyReplicas,
    @JsonPropertyDescription("Finds the worker pods, for kubectl scale and autoscalers.")
        @Nullable String selector,
    @JsonPropertyDescription("The fewest workers that the job may have.")
        @Nullable Integer minReplicas,
    @JsonPropertyDescription("The most workers that the job may have.")
        @Nullable Integer maxReplicas,
    @JsonPropertyDescription(
            "The replicas of spec.worker that were last heard, 0 where it has none. When they are changed, replicaSpecs.worker.replicas follows.")
        @Nullable Integer directReplicas,
    @JsonPropertyDescription("Nodes that took the place of one that ended.")
        @Nullable Integer restarts,
    @JsonPropertyDescription("How the workers train together.") @Nullable String strategy,
    @JsonPropertyDescription("Who decides about the job's size.") @Nullable String mode,
    @JsonPropertyDescription("The pod of the job's master.") @Nullable String master,
    @JsonPropertyDescription("Master pods that were ever made. The newest is numbered one less.")
        @Nullable Integer masterStarts,
    @JsonPropertyDescription(
            "The newest epoch of a master that was heard. The word of an older one does not count.")
        @Nullable Long masterEpoch,
    @JsonPropertyDescription(
            "The number of the newest decision of its master that was told by an Event.")
        @Nullable Long decisionsTold,
    @JsonPropertyDescription("What was decided last, once the job is over.")
        @Nullable JobHistory history,
    @JsonPropertyDescription("When the job first ran.") @Nullable String startTime,
    @JsonPropertyDescription("When the job was seen to be over.") @Nullable String completionTime,
    @JsonPropertyDescription(
            "What can be said of the job by yes and no: Accepted, NamesFree, MasterReady, PodsReady, JournalVolatile, PlanCurrent, Suspended, Complete, Failed.")
        @Nullable List<Condition> conditions) {
  /// The condition that says whether nothing of the job runs because its user wants it so: unknown
  /// while its pods go, and false, since it went on, where it once was.
  public static final String SUSPENDED = "Suspended";
}
