package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.RefusedPod;
import dev.pliant.crds.api.RolePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The master's plan as the cluster has it.
///
/// @param epoch of the master that wrote it
/// @param phase where it said that the job is, or null
/// @param named every node that it names, to be or to go
/// @param removed nodes that are to go
/// @param created nodes whose pods were made, whatever became of them
/// @param refused nodes whose pods the cluster would not take, and what it said
/// @param roles how many nodes of which size it wishes, by role
/// @param followed what it follows of the job
/// @param seen whether whoever carries it out has read what it says now
record PlanState(
    long epoch,
    @Nullable JobStatePhase phase,
    Set<NodeId> named,
    Set<NodeId> removed,
    Set<NodeId> created,
    Map<NodeId, String> refused,
    Map<String, RolePlan> roles,
    Followed followed,
    boolean seen) {

  /// Where there is no plan yet.
  static final PlanState NONE =
      new PlanState(
          0, null, Set.of(), Set.of(), Set.of(), Map.of(), Map.of(), Followed.NOTHING, false);

  static PlanState of(
      JobNames names,
      ObjectMeta metadata,
      @Nullable ScalePlanSpec spec,
      @Nullable ScalePlanStatus status) {
    if (spec == null) {
      return NONE;
    }
    Set<NodeId> removed = nodes(names, pods(spec.removePods()));
    Set<NodeId> named = nodes(names, pods(spec.createPods()));
    named.addAll(removed);
    List<String> created =
        status == null || status.createdPods() == null ? List.of() : status.createdPods();
    Long observed = status == null ? null : status.observedGeneration();
    return new PlanState(
        spec.masterEpoch() == null ? 0 : spec.masterEpoch(),
        spec.job() == null ? null : spec.job().phase(),
        named,
        removed,
        nodes(names, created.stream()),
        refused(names, status),
        spec.replicaResourceSpecs() == null ? Map.of() : spec.replicaResourceSpecs(),
        followed(spec.job()),
        observed != null && observed >= metadata.getGeneration());
  }

  private static Map<NodeId, String> refused(JobNames names, @Nullable ScalePlanStatus status) {
    Map<NodeId, String> refused = new TreeMap<>();
    if (status != null && status.refusedPods() != null) {
      for (RefusedPod pod : status.refusedPods()) {
        names.node(pod.name()).ifPresent(node -> refused.put(node, pod.message()));
      }
    }
    return refused;
  }

  private static Followed followed(@Nullable JobReport report) {
    return report == null
        ? Followed.NOTHING
        : new Followed(
            Objects.requireNonNullElse(report.generation(), 0L),
            Objects.requireNonNullElse(report.sizes(), ""));
  }

  private static Stream<String> pods(@Nullable List<PodPlan> pods) {
    return pods == null ? Stream.of() : pods.stream().map(PodPlan::name);
  }

  private static Set<NodeId> nodes(JobNames names, Stream<String> pods) {
    return pods.flatMap(pod -> names.node(pod).stream())
        .collect(Collectors.toCollection(TreeSet::new));
  }

  /// Of a job of the same name that was deleted only the epoch counts: none is lower after it.
  PlanState ofAnother() {
    return new PlanState(
        epoch, null, Set.of(), Set.of(), Set.of(), Map.of(), Map.of(), Followed.NOTHING, false);
  }

  boolean isOver() {
    return phase == JobStatePhase.Succeeded
        || phase == JobStatePhase.Failed
        || phase == JobStatePhase.Stopped;
  }
}
