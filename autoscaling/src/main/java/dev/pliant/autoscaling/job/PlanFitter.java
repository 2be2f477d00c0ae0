package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.AutoScalingSettings.SizeSettings;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.ResourceSum;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Objection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Fits what an optimiser plans into what its job may have. In this order:
///
/// 1. a role that the user sets is left alone;
/// 2. a chief is carved out of the workers, and has their size unless the user gives it one; an
///    evaluator without a size gets a worker's where that is large enough;
/// 3. the user's counts win in CREATE; the user's size of a parameter server wins where it is large
///    enough; the user's size of a worker fills what the plan leaves at zero;
/// 4. nodes and counts stay below the most, and within the bounds of their role. A bound of ours
///    never makes smaller what is there already;
/// 5. in RUNNING a node that is resized has at least the floor, where the limits leave room;
/// 6. a change of resources below the threshold is no change;
/// 7. all nodes together stay within the job's limits.
final class PlanFitter {
  private final SizeSettings settings;
  private final JobStage stage;
  private final OptimizerInput input;

  PlanFitter(SizeSettings settings, JobStage stage, OptimizerInput input) {
    this.settings = settings;
    this.stage = stage;
    this.input = input;
  }

  PlanAnswer fit(PlanAnswer answer) {
    return switch (answer) {
      case PlanAnswer.NoPlan none -> none;
      case PlanAnswer.Planned(ResourcePlan plan) -> fit(plan);
    };
  }

  private PlanAnswer fit(ResourcePlan raw) {
    PlanBuilder plan = PlanBuilder.of(raw);
    splitWorkers(plan);
    addEvaluator(plan);
    leaveToUser(plan);
    plan.roles().replaceAll((role, size) -> bounded(role, size, plan));
    if (stage == JobStage.RUNNING && raw.goal() == Goal.SPEED) {
      raiseToFloor(plan);
    }
    plan.roles().replaceAll((role, size) -> withoutSmallChange(role, size, plan));
    plan.nodes()
        .replaceAll((node, resources) -> mostOfNode(resources, input.now().resources(node)));
    return fitLimits(plan) ? plan.build(input.now()) : plan.none(NoPlanReason.JOB_LIMITS);
  }

  /// An optimiser counts the chief as a worker.
  private void splitWorkers(PlanBuilder plan) {
    int chiefs = input.job().chiefs();
    RoleSize workers = plan.roles().get(Roles.WORKER);
    if (workers == null || chiefs == 0) {
      return;
    }
    plan.role(Roles.WORKER, workers.withCount(Math.max(0, workers.count() - chiefs)));
    plan.role(Roles.CHIEF, new RoleSize(chiefs, givenOr(Roles.CHIEF, workers.each())));
  }

  private void addEvaluator(PlanBuilder plan) {
    RoleConstraints evaluator = input.job().role(Roles.EVALUATOR);
    RoleSize workers = plan.roles().get(Roles.WORKER);
    if (stage != JobStage.CREATE || evaluator == null || workers == null) {
      return;
    }
    boolean large =
        workers.each().cpu() >= settings.minEvaluatorCpu()
            && workers.each().memoryMib() >= settings.minEvaluatorMemoryMib();
    NodeResources otherwise = large ? workers.each() : settings.workers().each();
    plan.role(
        Roles.EVALUATOR,
        new RoleSize(Math.max(1, evaluator.min()), givenOr(Roles.EVALUATOR, otherwise)));
  }

  /// The user's size where there is one; each value that the user does not give is of `otherwise`.
  private NodeResources givenOr(String role, NodeResources otherwise) {
    RoleConstraints constraints = input.job().role(role);
    return constraints == null ? otherwise : filled(constraints.given(), otherwise);
  }

  /// What `first` leaves at zero is of `second`.
  private static NodeResources filled(NodeResources first, NodeResources second) {
    return new NodeResources(
        first.cpu() > 0 ? first.cpu() : second.cpu(),
        first.memoryMib() > 0 ? first.memoryMib() : second.memoryMib(),
        first.gpus() > 0 ? first.gpus() : second.gpus(),
        first.diskMib() > 0 ? first.diskMib() : second.diskMib());
  }

  private void leaveToUser(PlanBuilder plan) {
    boolean starts = stage == JobStage.CREATE;
    int before = plan.roles().size() + plan.nodes().size();
    plan.roles().keySet().removeIf(role -> !isPlanned(role, starts));
    plan.nodes().keySet().removeIf(node -> !isPlanned(node.role(), false));
    if (plan.roles().size() + plan.nodes().size() < before) {
      plan.reject(Alternative.RESIZE_NODES, Objection.SET_BY_USER);
    }
    plan.roles().replaceAll((role, size) -> byUser(role, size, starts));
  }

  private boolean isPlanned(String role, boolean starts) {
    RoleConstraints constraints = input.job().role(role);
    return constraints != null && (starts || constraints.autoScale());
  }

  private RoleSize byUser(String role, RoleSize size, boolean starts) {
    RoleConstraints user = constraints(role);
    NodeResources given = user.given();
    NodeResources each = size.each();
    if (role.equals(Roles.SERVER)) {
      each = each.withCpu(given.cpu() >= settings.minGivenServerCpu() ? given.cpu() : each.cpu());
      each =
          each.withMemoryMib(
              given.memoryMib() >= settings.minGivenServerMemoryMib()
                  ? given.memoryMib()
                  : each.memoryMib());
    }
    each = filled(each, given);
    if (starts && !user.autoScale()) {
      each = filled(given, each);
    }
    Integer count = user.count();
    return new RoleSize(starts && count != null ? count : size.count(), each);
  }

  private static RoleSize planned(String role, PlanBuilder plan) {
    RoleSize size = plan.roles().get(role);
    if (size == null) {
      throw new IllegalStateException("the plan has not the role " + role);
    }
    return size;
  }

  private RoleConstraints constraints(String role) {
    RoleConstraints constraints = input.job().role(role);
    if (constraints == null) {
      throw new IllegalStateException("the plan has the role " + role + ", the job has not");
    }
    return constraints;
  }

  private RoleSize bounded(String role, RoleSize size, PlanBuilder plan) {
    RoleConstraints user = constraints(role);
    int now = input.now().count(role);
    int ours =
        switch (role) {
          case Roles.WORKER -> settings.maxWorkers() - input.job().chiefs();
          case Roles.SERVER -> settings.maxServers();
          default -> JobPlan.MAX_NODES;
        };
    int count = Math.min(size.count(), Math.max(ours, now));
    count = Math.clamp(wholeUnits(count, user.unit()), user.min(), user.max());
    if (count < size.count()) {
      plan.reject(
          role.equals(Roles.SERVER) ? Alternative.MORE_SERVERS : Alternative.MORE_WORKERS,
          Objection.ROLE_BOUNDS);
    }
    RoleSize has = input.now().role(role);
    NodeResources each =
        mostOfNode(size.each(), has == null ? NodeResources.UNBOUNDED : has.each());
    return new RoleSize(count, each);
  }

  private static int wholeUnits(int count, int unit) {
    return count - count % unit;
  }

  private NodeResources mostOfNode(NodeResources planned, NodeResources has) {
    return planned
        .withCpu(Math.min(planned.cpu(), Math.max(settings.maxCpu(), has.cpu())))
        .withMemoryMib(
            Math.min(planned.memoryMib(), Math.max(settings.maxMemoryMib(), has.memoryMib())));
  }

  private void raiseToFloor(PlanBuilder plan) {
    for (String role : List.copyOf(plan.roles().keySet())) {
      RoleSize size = planned(role, plan);
      RoleSize has = input.now().role(role);
      if (has != null && has.each().equals(size.each())) {
        continue;
      }
      NodeResources each = size.each();
      raise(role, size.withEach(each.withCpu(Math.max(each.cpu(), settings.floorCpu()))), plan);
      RoleSize raised = planned(role, plan);
      long memory = Math.max(each.memoryMib(), settings.floorMemoryMib());
      raise(role, raised.withEach(raised.each().withMemoryMib(memory)), plan);
    }
  }

  /// Where the job's limits leave room for it.
  private void raise(String role, RoleSize size, PlanBuilder plan) {
    RoleSize before = plan.roles().put(role, size);
    if (before != null && !isWithinLimits(plan)) {
      plan.role(role, before);
    }
  }

  private RoleSize withoutSmallChange(String role, RoleSize size, PlanBuilder plan) {
    RoleSize has = input.now().role(role);
    if (has == null || has.each().equals(size.each())) {
      return size;
    }
    boolean small =
        isSmall(has.each().cpu(), size.each().cpu())
            && isSmall(has.each().memoryMib(), size.each().memoryMib())
            && has.each().gpus() == size.each().gpus();
    if (small) {
      plan.reject(Alternative.RESIZE_NODES, Objection.CHANGE_IS_TOO_SMALL);
      return size.withEach(has.each());
    }
    return size;
  }

  private boolean isSmall(double has, double planned) {
    return has == planned || Math.abs(planned - has) < settings.resizeThreshold() * has;
  }

  // The job's limits.

  private boolean isWithinLimits(PlanBuilder plan) {
    return input
        .job()
        .limits()
        .exceeded(sum(input.now()), sum(input.now().with(plan.roles(), plan.nodes())))
        .isEmpty();
  }

  /// What all nodes have together once each role has its count. Nodes that are not there yet count
  /// too; those that are too many do not.
  private static ResourceSum sum(Allocation allocation) {
    List<NodeResources> all = new ArrayList<>();
    SortedMap<String, Integer> there = new TreeMap<>();
    for (Map.Entry<NodeId, NodeResources> node : allocation.nodes().entrySet()) {
      RoleSize size = allocation.role(node.getKey().role());
      int number = there.merge(node.getKey().role(), 1, Integer::sum);
      if (size == null || number <= size.count()) {
        all.add(node.getValue());
      }
    }
    ResourceSum sum = ResourceSum.of(all);
    for (Map.Entry<String, RoleSize> role : allocation.roles().entrySet()) {
      int missing = role.getValue().count() - there.getOrDefault(role.getKey(), 0);
      if (missing > 0) {
        sum = sum.plus(missing, role.getValue().each());
      }
    }
    return sum;
  }

  /// Takes back what the limits leave no room for: first counts, then sizes. Returns whether what
  /// is left keeps within them.
  private boolean fitLimits(PlanBuilder plan) {
    if (isWithinLimits(plan)) {
      return true;
    }
    plan.reject(Alternative.MORE_NODES, Objection.JOB_LIMITS);
    for (String role : List.of(Roles.WORKER, Roles.SERVER)) {
      if (plan.roles().containsKey(role) && fitCount(role, plan)) {
        return true;
      }
    }
    if (stage == JobStage.CREATE) {
      return shrinkFirstSizes(plan);
    }
    plan.reject(Alternative.LARGER_NODES, Objection.JOB_LIMITS);
    plan.roles()
        .replaceAll((role, size) -> {
          RoleSize has = input.now().role(role);
          return has == null ? size : size.withEach(has.each());
        });
    return isWithinLimits(plan);
  }

  /// Looks for the highest count between what is and what was planned that the limits allow; leaves
  /// the lowest where none is.
  private boolean fitCount(String role, PlanBuilder plan) {
    RoleSize planned = planned(role, plan);
    RoleConstraints user = constraints(role);
    int least = stage == JobStage.CREATE ? Math.max(1, user.min()) : input.now().count(role);
    least = Math.min(least, planned.count());
    int low = 0;
    int high = (planned.count() - least) / user.unit();
    while (low < high) {
      int middle = (low + high + 1) >>> 1;
      plan.role(role, planned.withCount(least + middle * user.unit()));
      if (isWithinLimits(plan)) {
        low = middle;
      } else {
        high = middle - 1;
      }
    }
    plan.role(role, planned.withCount(least + low * user.unit()));
    return isWithinLimits(plan);
  }

  /// In CREATE the sizes that the user did not give become smaller, down to the smallest node.
  private boolean shrinkFirstSizes(PlanBuilder plan) {
    ResourceLimits limits = input.job().limits();
    ResourceSum fixed = new ResourceSum(0, 0, 0, 0, 0);
    int open = 0;
    for (Map.Entry<String, RoleSize> role : plan.roles().entrySet()) {
      RoleSize size = role.getValue();
      if (constraints(role.getKey()).given().cpu() > 0
          || constraints(role.getKey()).given().memoryMib() > 0) {
        fixed = fixed.plus(size.count(), size.each());
      } else {
        open += size.count();
      }
    }
    if (open == 0) {
      return false;
    }
    Double cpu = share(limits.cpu(), fixed.cpu(), open);
    Double memory =
        share(
            limits.memoryMib() == null ? null : limits.memoryMib().doubleValue(),
            fixed.memoryMib(),
            open);
    plan.roles().replaceAll((role, size) -> smaller(role, size, cpu, memory));
    return isWithinLimits(plan) && plan.roles().values().stream().noneMatch(this::isTooSmall);
  }

  private static @Nullable Double share(@Nullable Double limit, double fixed, int nodes) {
    return limit == null ? null : Math.max(0, limit - fixed) / nodes;
  }

  private RoleSize smaller(
      String role, RoleSize size, @Nullable Double cpu, @Nullable Double memory) {
    NodeResources given = constraints(role).given();
    NodeResources each = size.each();
    if (given.cpu() > 0 || given.memoryMib() > 0) {
      return size;
    }
    if (cpu != null && cpu < each.cpu()) {
      each = each.withCpu(Amounts.tenthBelow(cpu));
    }
    if (memory != null && memory < each.memoryMib()) {
      each = each.withMemoryMib((long) Math.floor(memory));
    }
    return size.withEach(each);
  }

  private boolean isTooSmall(RoleSize size) {
    return size.each().cpu() <= 0 || size.each().memoryMib() <= 0;
  }
}
