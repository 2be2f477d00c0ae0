package dev.pliant.master.nodes;

import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan.RolePlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import java.util.List;
import java.util.Optional;

/// Nodes that are to take another's place and do not come, where the job bounds how long that may
/// take. One that is late is given up, and another is started, which may find a better machine.
/// That uses up a restart: a job that cannot have its node back ends with a reason and waits for
/// nothing for ever.
final class LateNodes {
  private LateNodes() {}

  static Ruling next(NodeTable table, long nowMillis) {
    Optional<Node> late =
        table.nodes().stream().filter(node -> nowMillis >= deadlineMillis(table, node)).findFirst();
    return late.map(node -> giveUp(table, node, nowMillis)).orElse(Ruling.NOTHING);
  }

  /// When `node` is late, if nothing becomes of it before.
  static long deadlineMillis(NodeTable table, Node node) {
    if (!isRestart(table, node) || !node.staying() || node.phase() == NodePhase.RUNNING) {
      return Long.MAX_VALUE;
    }
    RolePlan role = table.plan().role(node.id().role());
    return role == null || role.restartMillis() == 0
        ? Long.MAX_VALUE
        : table.awaitedSinceMillis(node) + role.restartMillis();
  }

  /// Whether the node before it is missed: one that stays until this one runs is not, nor one that
  /// was told to go, for a rest or for one of another size, unless it was given up itself.
  private static boolean isRestart(NodeTable table, Node node) {
    Node before = table.before(node);
    return before != null
        && !before.staying()
        && (!before.released() || node.restarts() > before.restarts());
  }

  private static Ruling giveUp(NodeTable table, Node node, long nowMillis) {
    RolePlan role = table.plan().role(node.id().role());
    long most = role == null ? 0 : role.restartMillis();
    int restarts = role == null ? 0 : role.restarts();
    List<Input> inputs =
        List.of(
            new Input("pending, ms", Long.toString(nowMillis - node.createdMillis())),
            new Input("the most that a restart may take, ms", Long.toString(most)),
            new Input("restarts used up", Integer.toString(node.restarts())),
            new Input("restarts allowed", Integer.toString(restarts)),
            new Input("message", node.message()));
    if (node.restarts() >= restarts) {
      return Ruling.of(
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
                      node.message().isBlank() ? "" : ": " + node.message())),
          new Decision(
              "node " + node.id(),
              "restart-took-too-long",
              inputs,
              List.of(new Rejected("start another", "all restarts are used up")),
              "the job fails"));
    }
    return new Ruling(
        List.of(
            new NodeEvent.NodesReleased(List.of(node.id())),
            new NodeEvent.NodeAdded(
                new NodeId(node.id().role(), table.nextNumber(node.id().role())),
                node.resources(),
                node.id(),
                node.restarts() + 1,
                node.streak(),
                0)),
        List.of(
            new Decision(
                "node " + node.id(),
                "restart-took-too-long",
                inputs,
                List.of(
                    new Rejected("wait longer", "its role's restartTimeout is over"),
                    new Rejected("fail the job", "restarts are left")),
                "it is told to go, and another takes its place; restart %d of %d"
                    .formatted(node.restarts() + 1, restarts))));
  }
}
