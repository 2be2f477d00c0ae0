package dev.pliant.machine.nodes;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Alternatives.Rejection;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import java.util.ArrayList;
import java.util.List;

/// What is done about a node that failed. In this order:
///
/// | why it ended | rule | what is done |
/// |---|---|---|
/// | Killed, HardwareError, NoHeartbeat, the 100th in an hour | `too-many-from-outside` | the job fails |
/// | Killed, HardwareError, NoHeartbeat | `gone-from-outside` | another, after a back-off; no restart is used up |
/// | OOM with a limit below the most | `out-of-memory` | another with twice the memory, or what the job's limits leave; no restart is used up |
/// | OOM with the most there is | `out-of-memory-at-most` | the job fails |
/// | OOM, and the job's limits leave no more | `out-of-memory-at-limits` | the job fails |
/// | FatalError of workers that are no group | `fatal-error` | the job fails: the program would do it again |
/// | any other, restarts left | `failed` | another at once; a restart is used up |
/// | any other | `restarts-used-up` | the job fails |
///
/// The back-off is nothing at first, then doubles; a node that lived for longer than it was waited
/// for, and for longer than [#livedMillis], begins anew.
///
/// @param maxOutsideEnds how many a job bears in an hour; a large one bears ten times its size
/// @param firstBackoffMillis how long the second one of a streak is waited for
/// @param maxBackoffMillis how long at most
/// @param livedMillis how long a node lives at least that ends a streak
/// @param maxMemoryMib the most memory of a node
/// @param memoryStepMib the most that one OOM adds
public record RelaunchPolicy(
    int maxOutsideEnds,
    long firstBackoffMillis,
    long maxBackoffMillis,
    long livedMillis,
    long maxMemoryMib,
    long memoryStepMib) {

  /// A pause of the whole job ends each of its nodes once, and is no sign of anything wrong.
  private static final int ENDS_A_NODE = 10;

  public static final RelaunchPolicy DEFAULT =
      new RelaunchPolicy(100, 1_000, 300_000, 10_000, NodeResources.MAX_MEMORY_MIB, 8_192);

  /// What is to be done, and what it was decided from.
  public sealed interface Verdict {
    Choice choice();

    /// Another node takes its place.
    record Again(Relaunch relaunch, boolean outside, Choice choice) implements Verdict {}

    /// The job fails.
    record Fail(String reason, Choice choice) implements Verdict {}
  }

  /// Judges a node that failed.
  ///
  /// @param outsideEnds how many nodes of the job went for a reason from outside in the last hour
  /// @param leftMib how much memory the job's limits leave beside its other nodes
  public Verdict judge(JobPlan plan, Node node, int outsideEnds, long leftMib, long nowMillis) {
    return switch (node.reason()) {
      case KILLED, HARDWARE_ERROR, NO_HEARTBEAT -> fromOutside(plan, node, outsideEnds, nowMillis);
      case OOM ->
          node.resources().memoryMib() > 0
              ? outOfMemory(node, leftMib, nowMillis)
              : counted(plan, node, nowMillis);
      case FATAL_ERROR ->
          plan.strategy() == Strategy.LOCAL && node.isOf(NodeId.WORKER)
              ? fatal(node)
              : counted(plan, node, nowMillis);
      case UNKNOWN, SUCCEEDED -> counted(plan, node, nowMillis);
    };
  }

  private Verdict fromOutside(JobPlan plan, Node node, int outsideEnds, long nowMillis) {
    int most = Math.max(maxOutsideEnds, ENDS_A_NODE * plan.workers().wish());
    long lived = lived(node);
    boolean longEnough = lived >= Math.max(livedMillis, node.backoffMillis());
    int streak = longEnough ? 0 : node.streak();
    long backoff = backoffMillis(streak);
    List<Input> inputs = inputs(node);
    inputs.add(Input.count(InputName.OUTSIDE_ENDS_IN_LAST_HOUR, outsideEnds + 1));
    inputs.add(Input.count(InputName.MOST_OUTSIDE_ENDS, most));
    inputs.add(Input.duration(InputName.LIVED, lived));
    inputs.add(Input.duration(InputName.BACKOFF_BEFORE, node.backoffMillis()));
    inputs.add(Input.count(InputName.OUTSIDE_ENDS_IN_A_ROW, streak));
    if (outsideEnds + 1 >= most) {
      String reason =
          "%d nodes went within an hour for reasons from outside (the last, %s: %s), and a job bears %d; find out who ends them."
              .formatted(outsideEnds + 1, node.id(), describe(node), most);
      return new Verdict.Fail(
          reason,
          fails(
              node,
              Rule.TOO_MANY_FROM_OUTSIDE,
              inputs,
              new Rejection(Alternative.REPLACE_NODE, Objection.LIMIT_OF_OUTSIDE_ENDS_REACHED)));
    }
    Relaunch relaunch =
        new Relaunch(
            node.id(), node.resources(), node.restarts(), streak + 1, backoff, nowMillis + backoff);
    return new Verdict.Again(
        relaunch,
        true,
        choice(
            node,
            Rule.GONE_FROM_OUTSIDE,
            inputs,
            Alternatives.rejected(
                new Rejection(Alternative.USE_RESTART, Objection.CAUSE_IS_OUTSIDE_PROGRAM),
                new Rejection(Alternative.FAIL_JOB, Objection.BELOW_LIMIT_OF_OUTSIDE_ENDS)),
            new Plan.ReplaceNode(node.id(), null, node.resources(), backoff, 0, 0)));
  }

  private Verdict outOfMemory(Node node, long leftMib, long nowMillis) {
    long now = node.resources().memoryMib();
    List<Input> inputs = inputs(node);
    inputs.add(Input.mib(InputName.MEMORY, now));
    inputs.add(Input.mib(InputName.MOST_MEMORY, maxMemoryMib));
    if (now >= maxMemoryMib) {
      return new Verdict.Fail(
          "node %s ran out of memory with %,d MiB, the most that a node may have: %s"
              .formatted(node.id(), now, node.message()),
          fails(
              node,
              Rule.OUT_OF_MEMORY_AT_MOST,
              inputs,
              new Rejection(Alternative.ADD_MORE_MEMORY, Objection.AT_LARGEST_SIZE),
              new Rejection(
                  Alternative.REPLACE_UNCHANGED, Objection.WOULD_RUN_OUT_OF_MEMORY_AGAIN)));
    }
    if (leftMib < Long.MAX_VALUE) {
      inputs.add(Input.mib(InputName.MEMORY_LEFT_BY_LIMITS, leftMib));
    }
    if (leftMib <= now) {
      return outOfLimits(node, inputs);
    }
    long more = Math.min(Math.min(2 * now, now + memoryStepMib), Math.min(maxMemoryMib, leftMib));
    Relaunch relaunch =
        new Relaunch(
            node.id(),
            node.resources().withMemoryMib(more),
            node.restarts(),
            node.streak(),
            0,
            nowMillis);
    return new Verdict.Again(
        relaunch,
        false,
        choice(
            node,
            Rule.OUT_OF_MEMORY,
            inputs,
            Alternatives.rejected(
                Alternative.REPLACE_UNCHANGED, Objection.WOULD_RUN_OUT_OF_MEMORY_AGAIN),
            new Plan.ReplaceNode(node.id(), null, relaunch.resources(), 0, 0, 0)));
  }

  private static Verdict outOfLimits(Node node, List<Input> inputs) {
    return new Verdict.Fail(
        "node %s ran out of memory with %,d MiB, and the job's limits leave it no more; raise spec.resourceLimits, or let the job have fewer or smaller nodes: %s"
            .formatted(node.id(), node.resources().memoryMib(), node.message()),
        fails(
            node,
            Rule.OUT_OF_MEMORY_AT_LIMITS,
            inputs,
            new Rejection(Alternative.ADD_MORE_MEMORY, Objection.JOB_LIMITS),
            new Rejection(Alternative.REPLACE_UNCHANGED, Objection.WOULD_RUN_OUT_OF_MEMORY_AGAIN)));
  }

  private static Verdict fatal(Node node) {
    return new Verdict.Fail(
        "node %s failed: %s".formatted(node.id(), describe(node)),
        fails(
            node,
            Rule.FATAL_ERROR,
            inputs(node),
            new Rejection(Alternative.REPLACE_NODE, Objection.PROGRAM_WOULD_FAIL_AGAIN)));
  }

  private static Verdict counted(JobPlan plan, Node node, long nowMillis) {
    JobPlan.RolePlan role = plan.role(node.id().role());
    int restarts = role == null ? 0 : role.restarts();
    List<Input> inputs = inputs(node);
    inputs.add(Input.count(InputName.RESTARTS_USED, node.restarts()));
    inputs.add(Input.count(InputName.RESTARTS_ALLOWED, restarts));
    if (node.restarts() >= restarts) {
      return new Verdict.Fail(
          "node %s failed, and %s: %s"
              .formatted(
                  node.id(),
                  restarts == 0
                      ? "no restart is allowed"
                      : "all %d restarts are used up".formatted(restarts),
                  describe(node)),
          fails(
              node,
              Rule.RESTARTS_USED_UP,
              inputs,
              new Rejection(Alternative.REPLACE_NODE, Objection.RESTARTS_USED_UP)));
    }
    Relaunch relaunch =
        new Relaunch(node.id(), node.resources(), node.restarts() + 1, node.streak(), 0, nowMillis);
    return new Verdict.Again(
        relaunch,
        false,
        choice(
            node,
            Rule.FAILED,
            inputs,
            Alternatives.rejected(Alternative.FAIL_JOB, Objection.RESTARTS_LEFT),
            new Plan.ReplaceNode(
                node.id(), null, node.resources(), 0, node.restarts() + 1, restarts)));
  }

  /// How long the next one is waited for after so many in a row: nothing at first, then doubled.
  long backoffMillis(int streak) {
    if (streak == 0) {
      return 0;
    }
    int doublings = Math.min(streak - 1, 40);
    return Math.min(firstBackoffMillis << doublings, maxBackoffMillis);
  }

  private static long lived(Node node) {
    return node.startedMillis() == 0 ? 0 : node.endedMillis() - node.startedMillis();
  }

  private static List<Input> inputs(Node node) {
    List<Input> inputs = new ArrayList<>();
    inputs.add(Input.name(InputName.EXIT_REASON, node.reason()));
    inputs.add(Input.text(InputName.MESSAGE, node.message()));
    return inputs;
  }

  private static Choice fails(Node node, Rule rule, List<Input> inputs, Rejection... rejected) {
    return choice(
        node, rule, inputs, Alternatives.rejected(rejected), new Plan.EndJob(JobPhase.FAILED));
  }

  private static Choice choice(
      Node node, Rule rule, List<Input> inputs, Alternatives alternatives, Plan plan) {
    return new Choice(new Subject.OfNode(node.id()), rule, inputs, alternatives, plan);
  }

  /// Why it ended, in words.
  static String describe(Node node) {
    String why =
        switch (node.reason()) {
          case SUCCEEDED -> "it ended";
          case KILLED -> "it was killed";
          case OOM -> "it ran out of memory";
          case FATAL_ERROR -> "its program failed";
          case HARDWARE_ERROR -> "its machine failed";
          case NO_HEARTBEAT -> "nothing was heard of it";
          case UNKNOWN -> "it ended with an error";
        };
    return node.message().isBlank() ? why : why + ": " + node.message();
  }
}
