package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.Role;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.JobResourceSpec;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.RolePlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.NodePodRequest;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.nodes.Wish.UnknownRole;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.ResourceChange;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.IntOrString;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What users' objects wish of a job.
final class WishReader {
  private static final Set<String> KNOWN =
      Set.of(
          ResourceAmounts.CPU, ResourceAmounts.MEMORY, ResourceAmounts.GPU, ResourceAmounts.DISK);

  private final JobNames names;

  WishReader(JobNames names) {
    this.names = names;
  }

  /// Whether a plan is a user's, and of this job: one is that no master has labelled as its own.
  /// What has the name of the master's own plan is none, whatever its label says: it is in that
  /// plan's way, and the operator says so.
  boolean isWish(ScalePlan plan) {
    Map<String, String> labels = plan.getMetadata().getLabels();
    return plan.getSpec() != null
        && !plan.getMetadata().getName().equals(names.plan())
        && names.job().name().equals(plan.getSpec().ownerJob())
        && (labels == null || !JobNames.AUTO.equals(labels.get(JobNames.SCALE_TYPE_LABEL)));
  }

  /// Whether a JobResource is a user's, and of this job.
  boolean isWish(JobResource resource) {
    JobResourceSpec spec = resource.getSpec();
    return spec != null
        && spec.plan() == null
        && !resource.getMetadata().getName().equals(names.plan())
        && names.job().name().equals(spec.selector().job());
  }

  /// @throws PliantException where it says what means nothing
  Wish read(ScalePlan plan) {
    ScalePlanSpec spec = plan.getSpec();
    List<Wish.RoleWish> roles = new ArrayList<>();
    orEmpty(spec.replicaResourceSpecs()).forEach((name, role) -> addRole(roles, name, role));
    List<Wish.NewNode> add = new ArrayList<>();
    for (PodPlan pod : orEmpty(spec.createPods())) {
      String role =
          pod.type() == null ? NodePodRequest.node(names, pod).role() : roleName(pod.type());
      add.add(new Wish.NewNode(role, change(pod.resource())));
    }
    List<NodeId> remove =
        orEmpty(spec.removePods()).stream().map(pod -> NodePodRequest.node(names, pod)).toList();
    return wish(plan, UnknownRole.REFUSED, roles, add, remove, replacements(spec.migratePods()));
  }

  /// It has a place for every role that a job can have: one that this job has not is left out.
  ///
  /// @throws PliantException where it says what means nothing
  Wish read(JobResource resource) {
    JobResourceSpec spec = resource.getSpec();
    List<Wish.RoleWish> roles = new ArrayList<>();
    addRole(roles, Role.PARAMETER_SERVER.label(), spec.parameterServer());
    addRole(roles, Role.WORKER.label(), spec.worker());
    addRole(roles, Role.EVALUATOR.label(), spec.evaluator());
    addRole(roles, Role.CHIEF.label(), spec.chief());
    return wish(
        resource,
        UnknownRole.LEFT_OUT,
        roles,
        List.of(),
        List.of(),
        replacements(spec.resourceUpdation()));
  }

  /// How many of which size a job had by its master's plan, as a wish that they be so again.
  Wish kept(Map<String, RolePlan> plan, long epoch) {
    List<Wish.RoleWish> roles = new ArrayList<>();
    plan.forEach((name, role) -> addRole(roles, name, role));
    return new Wish(
        "MasterPlan/" + epoch,
        1,
        "the plan of the master before",
        UnknownRole.LEFT_OUT,
        roles,
        List.of(),
        List.of(),
        List.of());
  }

  private static Wish wish(
      HasMetadata from,
      UnknownRole unknownRole,
      List<Wish.RoleWish> roles,
      List<Wish.NewNode> add,
      List<NodeId> remove,
      List<Wish.Replacement> replace) {
    return new Wish(
        from.getKind() + "/" + from.getMetadata().getUid(),
        from.getMetadata().getGeneration(),
        from.getKind() + " " + from.getMetadata().getName(),
        unknownRole,
        roles,
        add,
        remove,
        replace);
  }

  private static void addRole(List<Wish.RoleWish> roles, String name, @Nullable RolePlan plan) {
    if (plan != null) {
      roles.add(new Wish.RoleWish(roleName(name), plan.replicas(), change(plan.resource())));
    }
  }

  /// By the name that nodes have; a role that nobody knows keeps its own, and is refused by it.
  private static String roleName(String name) {
    return Role.of(name).map(Role::label).orElse(name);
  }

  private List<Wish.Replacement> replacements(@Nullable List<PodPlan> pods) {
    return orEmpty(pods).stream()
        .map(pod -> new Wish.Replacement(NodePodRequest.node(names, pod), change(pod.resource())))
        .toList();
  }

  private static ResourceChange change(@Nullable Map<String, IntOrString> resource) {
    ResourceAmounts amounts = ResourceAmounts.of(resource);
    for (String name : amounts.quantities().keySet()) {
      if (!KNOWN.contains(name)) {
        throw new PliantException(
            ErrorCode.BAD_JOB_PLAN,
            "the resource '%s' cannot be changed for a node; cpu, memory, gpu and disk can."
                .formatted(name));
      }
    }
    return amounts.change();
  }

  private static <T> List<T> orEmpty(@Nullable List<T> list) {
    return list == null ? List.of() : list;
  }

  private static <V> Map<String, V> orEmpty(@Nullable Map<String, V> map) {
    return map == null ? Map.of() : map;
  }
}
