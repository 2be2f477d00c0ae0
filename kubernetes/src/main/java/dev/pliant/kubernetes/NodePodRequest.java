package dev.pliant.kubernetes;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.RolePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A node that is to have a pod.
///
/// @param owner the job, as [JobNames#owner] makes it
/// @param rank the place in its role that the node fills, however often it was replaced
/// @param restarts how many failures of its line have used up restarts
/// @param workers how many workers the job is to have, whatever role this node has
/// @param maxNodes how many workers the job may have at the most
/// @param resources what the plan says of the node's size; what it does not name is the template's
/// @param restricted whether its namespace demands Pod Security's `restricted`
public record NodePodRequest(
    ElasticJob job,
    OwnerReference owner,
    NodeId node,
    int rank,
    int restarts,
    int workers,
    int maxNodes,
    ResourceAmounts resources,
    Images images,
    boolean restricted) {

  /// @throws PliantException where the job has no such role
  public NodePodRequest {
    if (role(node).map(job.spec().replicaSpecs()::get).isEmpty()) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "job %s has no role '%s', so %s has no pod template."
              .formatted(job.id(), node.role(), node));
    }
  }

  /// The node that a plan names by its pod.
  ///
  /// @param plan all that the job's master says of its nodes, where it has said anything yet; what
  ///   it does not say is as the job itself has it
  /// @throws PliantException where that is no node of this job
  public static NodePodRequest of(
      ElasticJob job,
      OwnerReference owner,
      PodPlan pod,
      @Nullable ScalePlanSpec plan,
      Images images,
      boolean restricted) {
    NodeId node = node(new JobNames(job.id()), pod);
    return new NodePodRequest(
        job,
        owner,
        node,
        pod.rankIndex() == null ? node.number() : pod.rankIndex(),
        pod.restarts() == null ? 0 : pod.restarts(),
        workers(job, plan),
        max(job, plan),
        ResourceAmounts.of(pod.resource()),
        images,
        restricted);
  }

  private static int workers(ElasticJob job, @Nullable ScalePlanSpec plan) {
    Map<String, RolePlan> counts = plan == null ? null : plan.replicaResourceSpecs();
    RolePlan said = counts == null ? null : counts.get(NodeId.WORKER);
    return said == null || said.replicas() == null
        ? RoleBounds.of(job.spec(), Role.WORKER).wish()
        : said.replicas();
  }

  private static int max(ElasticJob job, @Nullable ScalePlanSpec plan) {
    Integer said = plan == null || plan.job() == null ? null : plan.job().max();
    return said == null ? RoleBounds.of(job.spec(), Role.WORKER).max() : said;
  }

  /// The node that `plan` names.
  ///
  /// @throws PliantException where it is none of this job
  public static NodeId node(JobNames names, PodPlan plan) {
    return names
        .node(plan.name())
        .orElseThrow(() ->
            new PliantException(
                ErrorCode.BAD_JOB_PLAN,
                "'%s' is no pod of a node of job %s; such a pod is called %s-ROLE-NUMBER."
                    .formatted(plan.name(), names.job(), names.job().name())));
  }

  Role role() {
    return role(node).orElseThrow();
  }

  ReplicaSpec replicas() {
    return Objects.requireNonNull(job.spec().replicaSpecs().get(role()));
  }

  JobNames names() {
    return new JobNames(job.id());
  }

  int maxRestarts() {
    Integer given = replicas().restartCount();
    return given == null ? JobPlan.DEFAULT_RESTARTS : given;
  }

  private static Optional<Role> role(NodeId node) {
    return Role.of(node.role()).filter(role -> role.label().equals(node.role()));
  }
}
