package dev.pliant.machine.nodes;

import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import java.util.List;
import java.util.stream.Collectors;

/// Decides what comes of what is asked of a job as a whole: a plan, a wish for another size, an
/// end. Changes nothing.
public final class JobOrders {
  private JobOrders() {}

  /// A master has started with this plan.
  public static Ruling define(NodeTable table, JobPlan given) {
    JobPlan plan = given.withoutEnvironment();
    if (!table.defined()) {
      return new Ruling(List.of(new NodeEvent.JobDefined(plan, false)), List.of());
    }
    if (table.plan().equals(plan)) {
      return Ruling.NOTHING;
    }
    boolean anew = isNewRun(table, plan.run()) && !table.phase().goesOn();
    return Ruling.of(
        new NodeEvent.JobDefined(plan, anew),
        new Decision(
            "job " + plan.job(),
            anew ? "begun-anew" : "plan-changed",
            List.of(
                new Input("run before", Long.toString(table.plan().run())),
                new Input("run", Long.toString(plan.run())),
                new Input("phase", table.phase().name()),
                new Input("plan before", summary(table.plan())),
                new Input("plan", summary(plan))),
            List.of(
                new Rejected(
                    "go on by the plan before", "whoever started the master gave another")),
            anew ? "the job begins again, by the new plan" : "the new plan holds from now on"));
  }

  /// Whether a run began after all that is known of the job. Where no run was told before, a node
  /// that was made since this one began is of it.
  private static boolean isNewRun(NodeTable table, long run) {
    long before = table.plan().run();
    return run > before
        && (before > JobPlan.UNTOLD_RUN
            || table.nodes().stream().noneMatch(node -> node.createdMillis() >= run));
  }

  private static String summary(JobPlan plan) {
    return "%s, %s, %d workers of %d to %d, %d processes each, %s%s%s"
        .formatted(
            plan.strategy().word(),
            plan.elasticity().word(),
            plan.workers().wish(),
            plan.workers().min(),
            plan.workers().max(),
            plan.nprocPerNode(),
            plan.workers().resources().describe(),
            plan.others().stream()
                .map(r -> ", %d %s of %d to %d".formatted(r.wish(), r.role(), r.min(), r.max()))
                .collect(Collectors.joining()),
            plan.limits().isNone() ? "" : ", " + plan.limits().describe());
  }

  /// A master that found nothing in its journal sees which numbers were given before; that it did
  /// is remembered, even where none were.
  public static Ruling reserve(NodeTable table, String role, int next) {
    return next <= table.nextNumber(role) && table.journalLost()
        ? Ruling.NOTHING
        : new Ruling(List.of(new NodeEvent.NumbersReserved(role, next)), List.of());
  }

  /// What a wish comes to.
  ///
  /// @param wish what will be wished from now on
  /// @param message for people: what was decided, and why it is not what was asked where it is not
  public record Scaling(Ruling ruling, int wish, String message) {}

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
      return new Scaling(Ruling.NOTHING, wish, message);
    }
    Decision decision =
        new Decision(
            "job " + table.plan().job(),
            "scale-wish",
            List.of(
                new Input("asked for", Integer.toString(workers)),
                new Input("who", who),
                new Input("wished before", Integer.toString(table.wish())),
                new Input("min", Integer.toString(bounds.min())),
                new Input("max", Integer.toString(bounds.max()))),
            wish == workers
                ? List.of()
                : List.of(
                    new Rejected(
                        "%,d workers".formatted(workers), "the job's own limits come first")),
            "%,d workers".formatted(wish));
    return new Scaling(
        Ruling.of(new NodeEvent.Scaled(NodeId.WORKER, wish), decision), wish, message);
  }

  /// Somebody stops the job.
  ///
  /// @throws PliantException where the job has no nodes
  public static Ruling stop(NodeTable table, String who) {
    checkDefined(table);
    if (!table.phase().goesOn()) {
      return Ruling.NOTHING; // It stops already, or is over: nothing is left to ask for.
    }
    String reason = who.isBlank() ? "it was stopped" : "it was stopped by " + who;
    return Ruling.of(
        new NodeEvent.PhaseChanged(JobPhase.STOPPING, JobPhase.STOPPED, reason),
        new Decision(
            "job " + table.plan().job(),
            "stop-asked",
            List.of(new Input("who", who), new Input("phase", table.phase().name())),
            List.of(),
            "every node is told to go"));
  }

  /// The job cannot go on, for a reason that lies outside its nodes.
  public static Ruling fail(NodeTable table, String rule, String reason) {
    if (!table.defined() || !table.phase().wantsNodes()) {
      return Ruling.NOTHING;
    }
    return Ruling.of(
        new NodeEvent.PhaseChanged(JobPhase.STOPPING, JobPhase.FAILED, reason),
        new Decision(
            "job " + table.plan().job(),
            rule,
            List.of(new Input("reason", reason), new Input("phase", table.phase().name())),
            List.of(new Rejected("go on", "nothing that its nodes could do would help")),
            "the job fails; every node is told to go"));
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
