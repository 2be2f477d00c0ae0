package dev.pliant.operator.decision;

import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// All that a decision about a job is made from.
///
/// @param plan the plan of its master, or null where there is none
/// @param pods that bear the job's label, in the order of their names
/// @param objects what is not in here is missing
/// @param obstacles what bears one of the job's names and is not the job's to use, as far as caches
///   show it; what else does is met when the job's own is made, and is a refusal
/// @param refusals pods and objects that the cluster would not take when this operator last tried
/// @param secretSince when the job's Secret was made, or null where it has none
/// @param trial what the cluster said of the job's templates, or null where it was not asked
public record Observed(
    JobView job,
    @Nullable PlanView plan,
    List<PodView> pods,
    Map<JobObject, Presence> objects,
    List<Obstacle> obstacles,
    List<Refusal> refusals,
    @Nullable Instant secretSince,
    @Nullable Trial trial,
    Instant now) {
  public Observed {
    pods = List.copyOf(pods);
    objects = Map.copyOf(objects);
    obstacles = List.copyOf(obstacles);
    refusals = List.copyOf(refusals);
  }

  /// The time as Kubernetes writes it.
  String time() {
    return now.truncatedTo(ChronoUnit.SECONDS).toString();
  }

  Presence presence(JobObject object) {
    return objects.getOrDefault(object, Presence.MISSING);
  }

  List<PodView> nodePods() {
    return jobPods().stream().filter(pod -> !pod.isMaster()).toList();
  }

  /// Those of masters and nodes.
  List<PodView> jobPods() {
    return pods.stream().filter(pod -> pod.ours() && !pod.isCleaner()).toList();
  }

  Optional<PodView> cleanerPod() {
    return pods.stream().filter(pod -> pod.ours() && pod.isCleaner()).findFirst();
  }

  List<PodView> masterPods() {
    return pods.stream().filter(pod -> pod.ours() && pod.isMaster()).toList();
  }

  boolean taken(String podName) {
    return pods.stream().anyMatch(pod -> pod.name().equals(podName));
  }

  @Nullable Refusal refusalOf(String podName) {
    return refusals.stream().filter(r -> r.pod().equals(podName)).findFirst().orElse(null);
  }

  /// Of the job's objects and masters, without which there are no nodes.
  List<Refusal> refusalsBeforeNodes() {
    return refusals.stream()
        .filter(r -> job.names() == null || job.names().node(r.pod()).isEmpty())
        .toList();
  }

  /// The plan, unless an older master wrote it than the newest that was heard.
  @Nullable PlanView validPlan() {
    return plan != null && plan.epoch() >= job.masterEpoch() ? plan : null;
  }
}
