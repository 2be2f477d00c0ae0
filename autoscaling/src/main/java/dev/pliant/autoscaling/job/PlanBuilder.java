package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Prediction;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Collects a plan together with its reason while a rule computes it.
public final class PlanBuilder {
  private final Rule rule;
  private final Goal goal;
  private final List<Input> inputs = new ArrayList<>();
  private final List<Rejection> rejected = new ArrayList<>();
  private final SortedMap<String, RoleSize> roles = new TreeMap<>();
  private final SortedMap<NodeId, NodeResources> nodes = new TreeMap<>();
  private double expectedSpeed = Double.NaN;

  public PlanBuilder(Rule rule, Goal goal) {
    this.rule = rule;
    this.goal = goal;
  }

  /// The same plan once more, to be changed.
  public static PlanBuilder of(ResourcePlan plan) {
    PlanBuilder builder = new PlanBuilder(plan.choice().rule(), plan.goal());
    builder.inputs.addAll(plan.choice().inputs());
    builder.rejected.addAll(plan.choice().alternatives().list());
    builder.roles.putAll(plan.roles());
    builder.nodes.putAll(plan.nodes());
    Prediction prediction = plan.choice().prediction();
    if (prediction != null) {
      builder.expectedSpeed = prediction.recordsPerSecond();
    }
    return builder;
  }

  public PlanBuilder count(InputName name, long count) {
    inputs.add(Input.count(name, count));
    return this;
  }

  public PlanBuilder mib(InputName name, double mib) {
    inputs.add(Input.mib(name, Math.round(mib)));
    return this;
  }

  public PlanBuilder amount(InputName name, double amount) {
    inputs.add(Input.amount(name, amount));
    return this;
  }

  /// Notes the job's limits, as far as there are any.
  public PlanBuilder limits(OptimizerInput input) {
    Double cpu = input.limitCpu();
    if (cpu != null) {
      amount(InputName.LIMIT_CPU, cpu);
    }
    Long memory = input.limitMemoryMib();
    if (memory != null) {
      mib(InputName.LIMIT_MEMORY, memory);
    }
    return this;
  }

  public PlanBuilder reject(Alternative alternative, Objection why) {
    Rejection rejection = new Rejection(alternative, why);
    if (!rejected.contains(rejection)) {
      rejected.add(rejection);
    }
    return this;
  }

  public PlanBuilder role(String role, RoleSize size) {
    roles.put(role, size);
    return this;
  }

  public PlanBuilder node(NodeId node, NodeResources resources) {
    nodes.put(node, resources);
    return this;
  }

  /// Notes how fast the training is expected to be. What is no speed is not noted.
  public PlanBuilder expect(double recordsPerSecond) {
    expectedSpeed = recordsPerSecond;
    return this;
  }

  /// The roles so far, which may be changed.
  public SortedMap<String, RoleSize> roles() {
    return roles;
  }

  /// The nodes so far, which may be changed.
  public SortedMap<NodeId, NodeResources> nodes() {
    return nodes;
  }

  public List<Input> inputs() {
    return inputs;
  }

  /// There is no plan, from what was read so far.
  public PlanAnswer none(NoPlanReason reason) {
    return PlanAnswer.none(reason, inputs);
  }

  /// The plan, as far as it changes `now`.
  public PlanAnswer build(Allocation now) {
    roles.entrySet().removeIf(entry -> entry.getValue().equals(now.role(entry.getKey())));
    nodes.entrySet().removeIf(entry -> isUnchanged(entry.getKey(), entry.getValue(), now));
    if (roles.isEmpty() && nodes.isEmpty()) {
      return none(NoPlanReason.UNCHANGED);
    }
    Alternatives alternatives =
        rejected.isEmpty() ? Alternatives.nonePossible() : new Alternatives.Rejected(rejected);
    Prediction prediction =
        expectedSpeed >= 0 && !Double.isInfinite(expectedSpeed)
            ? new Prediction(expectedSpeed)
            : null;
    Choice choice = new Choice(subject(), rule, inputs, alternatives, plan(now), prediction);
    return new PlanAnswer.Planned(new ResourcePlan(roles, nodes, goal, choice));
  }

  /// Nodes that are not there have nothing to change.
  private static boolean isUnchanged(NodeId node, NodeResources resources, Allocation now) {
    NodeResources has = now.nodes().get(node);
    return has == null || has.equals(resources);
  }

  private Subject subject() {
    if (roles.isEmpty() && nodes.size() == 1) {
      return new Subject.OfNode(nodes.firstKey());
    }
    if (nodes.isEmpty() && roles.size() == 1) {
      return new Subject.OfRole(roles.firstKey());
    }
    return new Subject.OfJob();
  }

  private Plan plan(Allocation now) {
    List<Plan> parts = new ArrayList<>();
    roles.forEach((role, size) -> {
      RoleSize before = now.role(role);
      if (before == null || !before.each().equals(size.each())) {
        parts.add(new Plan.ResizeRole(role, size.each()));
      }
      if (before == null || before.count() != size.count()) {
        parts.add(new Plan.SetCount(role, now.count(role), size.count()));
      }
    });
    if (!nodes.isEmpty()) {
      parts.add(Plan.ResizeNodes.of(nodes));
    }
    return parts.size() == 1 ? parts.getFirst() : new Plan.Several(parts);
  }
}
