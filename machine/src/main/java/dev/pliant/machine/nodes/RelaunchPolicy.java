package dev.pliant.machine.nodes;

import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
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
    Decision decision();

    /// Another node takes its place.
    record Again(Relaunch relaunch, boolean outside, Decision decision) implements Verdict {}

    /// The job fails.
    record Fail(String reason, Decision decision) implements Verdict {}
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
    inputs.add(new Input("ends from outside in the last hour", Integer.toString(outsideEnds)));
    inputs.add(new Input("the most of them", Integer.toString(most)));
    inputs.add(new Input("lived, ms", Long.toString(lived)));
    inputs.add(new Input("waited before it, ms", Long.toString(node.backoffMillis())));
    inputs.add(new Input("streak", Integer.toString(streak)));
    if (outsideEnds + 1 >= most) {
      String reason =
          "%d nodes went within an hour for reasons from outside (the last, %s: %s), and a job bears %d; find out who ends them."
              .formatted(outsideEnds + 1, node.id(), describe(node), most);
      return new Verdict.Fail(
          reason,
          decision(
              node,
              "too-many-from-outside",
              inputs,
              List.of(new Rejected("start another", "as many as a job bears went in an hour")),
              "the job fails"));
    }
    Relaunch relaunch =
        new Relaunch(
            node.id(), node.resources(), node.restarts(), streak + 1, backoff, nowMillis + backoff);
    return new Verdict.Again(
        relaunch,
        true,
        decision(
            node,
            "gone-from-outside",
            inputs,
            List.of(
                new Rejected("use up a restart", "it went for a reason outside its program"),
                new Rejected("fail the job", "fewer went in an hour than a job bears")),
            backoff == 0
                ? "another node takes its place at once"
                : "another node takes its place in %,d ms".formatted(backoff)));
  }

  private Verdict outOfMemory(Node node, long leftMib, long nowMillis) {
    long now = node.resources().memoryMib();
    List<Input> inputs = inputs(node);
    inputs.add(new Input("memory, MiB", Long.toString(now)));
    inputs.add(new Input("the most memory, MiB", Long.toString(maxMemoryMib)));
    if (now >= maxMemoryMib) {
      return new Verdict.Fail(
          "node %s ran out of memory with %,d MiB, the most that a node may have: %s"
              .formatted(node.id(), now, node.message()),
          decision(
              node,
              "out-of-memory-at-most",
              inputs,
              List.of(
                  new Rejected("more memory", "it had the most that a node may have"),
                  new Rejected("start another unchanged", "it would run out of memory again")),
              "the job fails"));
    }
    if (leftMib < Long.MAX_VALUE) {
      inputs.add(new Input("what the job's limits leave it, MiB", Long.toString(leftMib)));
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
        decision(
            node,
            "out-of-memory",
            inputs,
            List.of(new Rejected("start another unchanged", "it would run out of memory again")),
            "another node takes its place with %,d MiB".formatted(more)));
  }

  private static Verdict outOfLimits(Node node, List<Input> inputs) {
    return new Verdict.Fail(
        "node %s ran out of memory with %,d MiB, and the job's limits leave it no more; raise spec.resourceLimits, or let the job have fewer or smaller nodes: %s"
            .formatted(node.id(), node.resources().memoryMib(), node.message()),
        decision(
            node,
            "out-of-memory-at-limits",
            inputs,
            List.of(
                new Rejected("more memory", "all nodes together would exceed the job's limits"),
                new Rejected("start another unchanged", "it would run out of memory again")),
            "the job fails"));
  }

  private static Verdict fatal(Node node) {
    return new Verdict.Fail(
        "node %s failed: %s".formatted(node.id(), describe(node)),
        decision(
            node,
            "fatal-error",
            inputs(node),
            List.of(new Rejected("start another", "its program failed, and would do so again")),
            "the job fails"));
  }

  private static Verdict counted(JobPlan plan, Node node, long nowMillis) {
    JobPlan.RolePlan role = plan.role(node.id().role());
    int restarts = role == null ? 0 : role.restarts();
    List<Input> inputs = inputs(node);
    inputs.add(new Input("restarts used up", Integer.toString(node.restarts())));
    inputs.add(new Input("restarts allowed", Integer.toString(restarts)));
    if (node.restarts() >= restarts) {
      return new Verdict.Fail(
          "node %s failed, and %s: %s"
              .formatted(
                  node.id(),
                  restarts == 0
                      ? "no restart is allowed"
                      : "all %d restarts are used up".formatted(restarts),
                  describe(node)),
          decision(
              node,
              "restarts-used-up",
              inputs,
              List.of(new Rejected("start another", "all restarts are used up")),
              "the job fails"));
    }
    Relaunch relaunch =
        new Relaunch(node.id(), node.resources(), node.restarts() + 1, node.streak(), 0, nowMillis);
    return new Verdict.Again(
        relaunch,
        false,
        decision(
            node,
            "failed",
            inputs,
            List.of(new Rejected("fail the job", "restarts are left")),
            "another node takes its place; restart %d of %d"
                .formatted(node.restarts() + 1, restarts)));
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
    inputs.add(new Input("reason", node.reason().name()));
    inputs.add(new Input("message", node.message()));
    return inputs;
  }

  private static Decision decision(
      Node node, String rule, List<Input> inputs, List<Rejected> rejected, String plan) {
    return new Decision("node " + node.id(), rule, inputs, rejected, plan);
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
