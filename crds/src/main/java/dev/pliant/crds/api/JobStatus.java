package dev.pliant.crds.api;

import com.fasterxml.jackson.annotation.JsonInclude;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What the operator knows of a job.
///
/// @param phase one of [JobStatePhase]'s words
/// @param ready for people: workers that run, of those wished, as `2/3`
/// @param replicas worker pods that there are
/// @param selector finds the worker pods; for `kubectl scale` and autoscalers
/// @param restarts nodes that took the place of one that ended
/// @param master the master's pod
/// @param masterStarts master pods that were ever made: the number of the newest is one less
/// @param masterEpoch the newest epoch that a plan carried
@JsonInclude(JsonInclude.Include.NON_NULL)
public record JobStatus(
    @Nullable Long observedGeneration,
    @Nullable JobStatePhase phase,
    @Nullable String message,
    @Nullable String ready,
    @Nullable Integer replicas,
    @Nullable Integer readyReplicas,
    @Nullable String selector,
    @Nullable Integer minReplicas,
    @Nullable Integer maxReplicas,
    @Nullable Integer restarts,
    @Nullable String strategy,
    @Nullable String mode,
    @Nullable String master,
    @Nullable Integer masterStarts,
    @Nullable Long masterEpoch,
    @Nullable String startTime,
    @Nullable String completionTime,
    @Nullable List<Condition> conditions) {
  /// The condition that says whether nothing of the job runs because its user wants it so: unknown
  /// while its pods go, and false, since it went on, where it once was.
  public static final String SUSPENDED = "Suspended";
}
