package dev.pliant.machine.nodes;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan.RolePlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/// Nodes that are to take another's place and do not come, where the job bounds how long that may
/// take. One that is late is given up, and another is started, which may find a better machine.
/// That uses up a restart: a job that cannot have its node back ends with a reason and waits for
/// nothing for ever.
final class LateNodes {
  private LateNodes() {}

  /// All that are late, up to the first with which the job fails: nothing of one depends on
  /// another, and what ended thousands at once has thousands late at once.
  static List<NodeDecision> next(NodeTable table, long nowMillis) {
    List<NodeDecision> decisions = new ArrayList<>();
    Map<String, Integer> numbers = new HashMap<>();
    for (Node node : table.nodes()) {
      RolePlan role = table.plan().role(node.id().role());
      if (role == null || nowMillis < deadlineMillis(table, node)) {
        continue;
      }
      int number =
          numbers.merge(role.role(), table.nextNumber(role.role()), (before, _) -> before + 1);
      decisions.add(giveUp(node, role, number, nowMillis));
      if (node.restarts() >= role.restarts()) {
        break;
      }
    }
    return decisions;
  }

  /// When `node` is late, if nothing becomes of it before. One of which nobody has heard yet is
  /// not: who was to make it may be away.
  static long deadlineMillis(NodeTable table, Node node) {
    if (node.phase() != NodePhase.PENDING || !node.staying()) {
      return Long.MAX_VALUE;
    }
    RolePlan role = table.plan().role(node.id().role());
    Node before = table.before(node);
    if (role == null || role.restartMillis() == 0 || before == null || !isMissed(before, node)) {
      return Long.MAX_VALUE;
    }
    long since = Math.max(table.awaitedSinceMillis(node), node.heardMillis());
    return Math.max(since, before.endedMillis()) + role.restartMillis();
  }

  /// Whether the node before it is missed: one that stays until this one runs is not, nor one that
  /// was told to go, for a rest or for one of another size, unless it failed or was given up.
  private static boolean isMissed(Node before, Node node) {
    return !before.staying()
        && (!before.released()
            || before.phase() == NodePhase.FAILED
            || node.restarts() > before.restarts());
  }

  /// @param number of the node that takes its place
  private static NodeDecision giveUp(Node node, RolePlan role, int number, long nowMillis) {
    long most = role.restartMillis();
    int restarts = role.restarts();
    List<Input> inputs =
        List.of(
            Input.duration(InputName.WAITED, nowMillis - node.createdMillis()),
            Input.duration(InputName.LONGEST_WAIT, most),
            Input.count(InputName.RESTARTS_USED, node.restarts()),
            Input.count(InputName.RESTARTS_ALLOWED, restarts),
            Input.text(InputName.MESSAGE, node.message()));
    if (node.restarts() >= restarts) {
      return new NodeDecision(
          List.of(
              new NodeEvent.PhaseChanged(
                  JobPhase.STOPPING,
                  JobPhase.FAILED,
                  "node %s did not run within its restartTimeout of %,d s, and %s%s"
                      .formatted(
                          node.id(),
                          most / 1_000,
                          restarts == 0
                              ? "no restart is allowed"
                              : "all %d restarts are used up".formatted(restarts),
                          node.message().isBlank() ? "" : ": " + node.message()))),
          choice(
              node,
              inputs,
              Alternatives.rejected(Alternative.REPLACE_NODE, Objection.RESTARTS_USED_UP),
              new Plan.EndJob(JobPhase.FAILED)));
    }
    NodeId by = new NodeId(node.id().role(), number);
    return new NodeDecision(
        List.of(
            new NodeEvent.NodesReleased(List.of(node.id())),
            new NodeEvent.NodeAdded(
                by, node.resources(), node.id(), node.restarts() + 1, node.streak(), 0)),
        choice(
            node,
            inputs,
            Alternatives.rejected(
                new Rejection(Alternative.WAIT_LONGER, Objection.LONGEST_WAIT_OVER),
                new Rejection(Alternative.FAIL_JOB, Objection.RESTARTS_LEFT)),
            new Plan.ReplaceNode(
                node.id(), by, node.resources(), 0, node.restarts() + 1, restarts)));
  }

  private static Choice choice(
      Node node, List<Input> inputs, Alternatives alternatives, Plan plan) {
    return new Choice(
        new Subject.OfNode(node.id()), Rule.RESTART_TOOK_TOO_LONG, inputs, alternatives, plan);
  }
}
