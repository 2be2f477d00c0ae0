package dev.pliant.operator.decision;

import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.crds.api.ScalePlanStatus;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// The plan that a job's master wrote, from a ScalePlan or a JobResource.
///
/// @param version of the plan as it was seen, which changes with every word of it and its status
public record PlanView(
    long generation, String version, ScalePlanSpec spec, @Nullable ScalePlanStatus status) {

  public long epoch() {
    return spec.masterEpoch() == null ? 0 : spec.masterEpoch();
  }

  /// The nodes that are to run, by pod, in the plan's order.
  public Map<String, PodPlan> toRun() {
    return byName(spec.createPods());
  }

  /// The nodes that are to go in order, by pod. One that is also to run is to go.
  public Map<String, PodPlan> toGo() {
    return byName(spec.removePods());
  }

  /// Pods that were made for this plan, at some time.
  public Set<String> made() {
    return status == null || status.createdPods() == null
        ? Set.of()
        : Set.copyOf(status.createdPods());
  }

  /// What the master says of the job.
  public @Nullable JobReport report() {
    return spec.job();
  }

  /// Whether the master says that the job rests, and that no node of it is left.
  boolean rests() {
    JobReport report = report();
    return report != null
        && report.phase() == JobStatePhase.Suspended
        && toRun().isEmpty()
        && toGo().isEmpty();
  }

  private static Map<String, PodPlan> byName(@Nullable List<PodPlan> pods) {
    Map<String, PodPlan> byName = new LinkedHashMap<>();
    if (pods != null) {
      pods.forEach(pod -> byName.putIfAbsent(pod.name(), pod));
    }
    return byName;
  }
}
