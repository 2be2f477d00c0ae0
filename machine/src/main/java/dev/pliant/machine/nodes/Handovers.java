package dev.pliant.machine.nodes;

import dev.pliant.model.Decision;
import dev.pliant.model.Decision.Input;
import dev.pliant.model.Decision.Rejected;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
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

  static Ruling next(NodeTable table) {
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
    return Ruling.NOTHING;
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

  private static Ruling relieved(Node before, Node node) {
    return ruling(
        before.id(),
        "successor-runs",
        new Input("successor", node.id() + ", with " + node.resources().describe()),
        new Rejected("let both stay", "they have one place"),
        "it is told to go: %s has its place".formatted(node.id()));
  }

  private static Ruling missed(Node before, Node node) {
    return ruling(
        before.id(),
        "ended-before-its-successor-ran",
        new Input("how it ended", RelaunchPolicy.describe(before)),
        new Rejected("start another", "%s was started to take its place".formatted(node.id())),
        "%s has its place".formatted(node.id()));
  }

  private static Ruling needless(Node before, Node node) {
    return ruling(
        node.id(),
        "succeeded-before-its-successor-ran",
        new Input("whose place it was to take", before.id().toString()),
        new Rejected("wait for it", "the work of that place is done"),
        "it is told to go");
  }

  private static Ruling failed(Node before, Node node) {
    return ruling(
        node.id(),
        "successor-ended",
        new Input("how it ended", RelaunchPolicy.describe(node)),
        new Rejected(
            "start another",
            "%s is there, and whoever wishes it gone can say so again".formatted(before.id())),
        "%s keeps its place, as it is".formatted(before.id()));
  }

  /// What all of them come to: one node is told to go, or nobody takes its place.
  private static Ruling ruling(
      NodeId node, String rule, Input input, Rejected rejected, String plan) {
    return Ruling.of(
        new NodeEvent.NodesReleased(List.of(node)),
        new Decision("node " + node, rule, List.of(input), List.of(rejected), plan));
  }
}
