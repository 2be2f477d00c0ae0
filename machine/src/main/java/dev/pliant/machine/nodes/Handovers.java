package dev.pliant.machine.nodes;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.decision.Alternative;
import dev.pliant.model.decision.Alternatives;
import dev.pliant.model.decision.Choice;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Objection;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import dev.pliant.model.decision.Subject;
import dev.pliant.model.decision.Value;
import java.util.List;

/// Nodes that are to be relieved by one of another size: such a node stays until its successor
/// runs, and until then both have one place.
///
/// | the node | its successor | what is done |
/// |---|---|---|
/// | stays | is pending | nothing: it is waited for, however long that takes |
/// | stays | runs, or has succeeded | the node is told to go |
/// | stays | has failed | the node keeps its place, and nobody relieves it |
/// | has failed | stays, has failed or is to come again | the successor has its place: the node's own end is judged by nobody |
/// | has succeeded | stays | the successor is told to go: the work is done |
final class Handovers {
  private Handovers() {}

  /// Whether a node stays until its successor runs, or is that successor.
  static boolean isUnderWay(NodeTable table, Node node) {
    return table.successor(node.id()) != null || isToRelieve(table, node);
  }

  /// Whether another stays until this one runs.
  static boolean isToRelieve(NodeTable table, Node node) {
    Node before = node.staying() ? table.before(node) : null;
    return before != null && before.staying();
  }

  static List<NodeDecision> next(NodeTable table) {
    for (Node node : table.nodes()) {
      Node before = table.before(node);
      if (before == null || before.released()) {
        continue;
      }
      if (before.staying()) {
        if (hasRun(node)) {
          return relieved(before, node);
        }
        if (node.awaitsJudgement()) {
          return failed(before, node);
        }
      } else if (before.awaitsJudgement() && hasItsPlace(table, node)) {
        return missed(before, node);
      } else if (before.phase() == NodePhase.SUCCEEDED && node.staying()) {
        return needless(before, node);
      }
    }
    return List.of();
  }

  /// Whether a node fills the place of the one before it, or another is to do so after it. Where
  /// both of them have failed, one is judged.
  private static boolean hasItsPlace(NodeTable table, Node node) {
    return node.staying() || node.awaitsJudgement() || table.isToComeAgain(node.id());
  }

  private static boolean hasRun(Node node) {
    return node.phase() == NodePhase.SUCCEEDED
        || (node.staying() && node.phase() == NodePhase.RUNNING);
  }

  private static List<NodeDecision> relieved(Node before, Node node) {
    return release(
        before.id(),
        Rule.SUCCESSOR_RUNS,
        List.of(
            Input.name(InputName.SUCCESSOR, node.id().toString()),
            new Input(InputName.RESOURCES, new Value.Resources(node.resources()))),
        Alternatives.rejected(Alternative.KEEP_BOTH_NODES, Objection.ONE_PLACE_FOR_BOTH),
        Plan.ReleaseNodes.of(List.of(before.id())));
  }

  private static List<NodeDecision> missed(Node before, Node node) {
    return release(
        before.id(),
        Rule.ENDED_BEFORE_SUCCESSOR_RAN,
        List.of(
            Input.name(InputName.EXIT_REASON, before.reason()),
            Input.text(InputName.MESSAGE, before.message()),
            Input.name(InputName.SUCCESSOR, node.id().toString())),
        Alternatives.rejected(Alternative.REPLACE_NODE, Objection.PLACE_IS_FILLED),
        new Plan.KeepNode(node.id()));
  }

  private static List<NodeDecision> needless(Node before, Node node) {
    return release(
        node.id(),
        Rule.SUCCEEDED_BEFORE_SUCCESSOR_RAN,
        List.of(Input.name(InputName.REPLACES, before.id().toString())),
        Alternatives.rejected(Alternative.WAIT_LONGER, Objection.WORK_IS_DONE),
        Plan.ReleaseNodes.of(List.of(node.id())));
  }

  private static List<NodeDecision> failed(Node before, Node node) {
    return release(
        node.id(),
        Rule.SUCCESSOR_ENDED,
        List.of(
            Input.name(InputName.EXIT_REASON, node.reason()),
            Input.text(InputName.MESSAGE, node.message()),
            Input.name(InputName.REPLACES, before.id().toString())),
        Alternatives.rejected(Alternative.REPLACE_NODE, Objection.KEPT_UNTIL_REQUESTED_AGAIN),
        new Plan.KeepNode(before.id()));
  }

  /// What all of them come to: one node is told to go, or nobody takes its place.
  private static List<NodeDecision> release(
      NodeId node, Rule rule, List<Input> inputs, Alternatives alternatives, Plan plan) {
    return NodeDecision.of(
        new NodeEvent.NodesReleased(List.of(node)),
        new Choice(new Subject.OfNode(node), rule, inputs, alternatives, plan));
  }
}
