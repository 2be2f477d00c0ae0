package dev.pliant.machine.nodes;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import java.util.ArrayList;
import java.util.List;

/// Decides what comes of what is asked of a job as a whole: a plan, a wish for another size, an
/// end. Changes nothing.
public final class JobOrders {
  private JobOrders() {}

  /// A master has started with this plan.
  public static List<NodeDecision> define(NodeTable table, JobPlan given) {
    JobPlan plan = given.withoutEnvironment();
    if (!table.defined()) {
      return NodeDecision.observed(new NodeEvent.JobDefined(plan, false));
    }
    if (table.plan().equals(plan)) {
      return List.of();
    }
    boolean anew = isNewRun(table, plan.run()) && !table.phase().goesOn();
    return NodeDecision.of(
        new NodeEvent.JobDefined(plan, anew),
        new Choice(
            new Subject.OfJob(),
            anew ? Rule.BEGUN_ANEW : Rule.PLAN_CHANGED,
            PlanChange.inputs(table, plan),
            Alternatives.rejected(Alternative.KEEP_OLD_PLAN, Objection.NEW_PLAN_GIVEN),
            anew ? new Plan.BeginAnew() : new Plan.ChangeJob()));
  }

  /// Whether a run began after all that is known of the job. Where no run was told before, a node
  /// that was made since this one began is of it.
  private static boolean isNewRun(NodeTable table, long run) {
    long before = table.plan().run();
    return run > before
        && (before > JobPlan.UNTOLD_RUN
            || table.nodes().stream().noneMatch(node -> node.createdMillis() >= run));
  }

  /// A master that found nothing in its journal sees which numbers were given before; that it did
  /// is remembered, even where none were.
  public static List<NodeDecision> reserve(NodeTable table, String role, int next) {
    return next <= table.nextNumber(role) && table.journalLost()
        ? List.of()
        : NodeDecision.observed(new NodeEvent.NumbersReserved(role, next));
  }

  /// What a wish comes to.
  ///
  /// @param wish what will be wished from now on
  /// @param message for people: what was decided, and why it is not what was asked where it is not
  public record Scaling(List<NodeDecision> decisions, int wish, String message) {}

  /// Somebody wishes another number of workers.
  ///
  /// @throws PliantException where the job has no nodes, or wants none any more
  public static Scaling scale(NodeTable table, int workers, String who) {
    checkWantsNodes(table);
    JobPlan.Workers bounds = table.plan().workers();
    int wish = Math.clamp(workers, bounds.min(), bounds.max());
    String asked = "%,d workers were asked for".formatted(workers);
    String message =
        wish < workers
            ? "%s, and %,d are the most this job may have: it gets %,d"
                .formatted(asked, bounds.max(), wish)
            : wish > workers
                ? "%s, and %,d are the fewest this job can have: it gets %,d"
                    .formatted(asked, bounds.min(), wish)
                : wish == table.wish()
                    ? "%,d workers are wished already".formatted(wish)
                    : "from %,d to %,d workers".formatted(table.wish(), wish);
    if (wish == table.wish()) {
      return new Scaling(List.of(), wish, message);
    }
    Choice choice =
        new Choice(
            new Subject.OfRole(NodeId.WORKER),
            Rule.SCALE_REQUESTED,
            List.of(
                Input.text(InputName.REQUESTED_BY, who),
                Input.count(InputName.REQUESTED, workers),
                Input.count(InputName.REQUESTED_BEFORE, table.wish()),
                Input.count(InputName.LEAST, bounds.min()),
                Input.count(InputName.MOST, bounds.max())),
            wish == workers
                ? Alternatives.nonePossible()
                : Alternatives.rejected(Alternative.REQUESTED_COUNT, Objection.ROLE_BOUNDS),
            new Plan.SetCount(NodeId.WORKER, table.wish(), wish));
    return new Scaling(
        NodeDecision.of(new NodeEvent.Scaled(NodeId.WORKER, wish), choice), wish, message);
  }

  /// Somebody stops the job.
  ///
  /// @throws PliantException where the job has no nodes
  public static List<NodeDecision> stop(NodeTable table, String who) {
    checkDefined(table);
    if (!table.phase().goesOn()) {
      return List.of(); // It stops already, or is over: nothing is left to ask for.
    }
    String reason = who.isBlank() ? "it was stopped" : "it was stopped by " + who;
    return NodeDecision.of(
        new NodeEvent.PhaseChanged(JobPhase.STOPPING, JobPhase.STOPPED, reason),
        new Choice(
            new Subject.OfJob(),
            Rule.STOP_REQUESTED,
            List.of(
                Input.text(InputName.REQUESTED_BY, who),
                Input.name(InputName.PHASE, table.phase())),
            Alternatives.nonePossible(),
            new Plan.EndJob(JobPhase.STOPPED)));
  }

  /// The job cannot go on, for a reason that lies outside its nodes.
  ///
  /// @param inputs what the reason is, typed
  public static List<NodeDecision> fail(
      NodeTable table, Rule rule, List<Input> inputs, String reason) {
    if (!table.defined() || !table.phase().wantsNodes()) {
      return List.of();
    }
    List<Input> all = new ArrayList<>(inputs);
    all.add(Input.name(InputName.PHASE, table.phase()));
    return NodeDecision.of(
        new NodeEvent.PhaseChanged(JobPhase.STOPPING, JobPhase.FAILED, reason),
        new Choice(
            new Subject.OfJob(),
            rule,
            all,
            Alternatives.rejected(Alternative.REPLACE_NODE, Objection.SAME_CAUSE_AS_BEFORE),
            new Plan.EndJob(JobPhase.FAILED)));
  }

  static void checkDefined(NodeTable table) {
    if (!table.defined()) {
      throw new PliantException(
          ErrorCode.NO_NODES,
          "this master starts no nodes: it was given no plan; whoever starts the job's processes ends them.");
    }
  }

  private static void checkWantsNodes(NodeTable table) {
    checkDefined(table);
    String why = whyNoOtherSize(table);
    if (!why.isEmpty()) {
      throw new PliantException(ErrorCode.JOB_OVER, why);
    }
  }

  /// Why the job's size can no longer be changed; empty where it can.
  static String whyNoOtherSize(NodeTable table) {
    if (table.phase().goesOn() && table.finishingMillis() == 0) {
      return "";
    }
    return "job %s %s; its size can no longer be changed."
        .formatted(
            table.plan().job(),
            table.phase().ended()
                ? "is over (" + table.phase() + ")"
                : table.finishingMillis() != 0 ? "is finishing" : "is stopping");
  }
}
