package dev.pliant.machine.nodes;

import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodePhase.Observation;
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

/// Decides what comes of what is seen of nodes, and of what is not heard of them any more. Changes
/// nothing. News of a node that has ended, or that never was, comes to nothing.
public final class NodeObserver {
  private NodeObserver() {}

  /// A platform has seen something of a node.
  public static List<NodeDecision> observe(NodeTable table, NodeNews news) {
    Node node = table.node(news.node());
    if (node == null || node.phase().ended()) {
      return List.of();
    }
    return switch (news) {
      case NodeNews.Pending(NodeId _, String message, boolean lacksRoom) ->
          moved(node, Observation.PENDING, message, lacksRoom);
      case NodeNews.Running _ -> moved(node, Observation.RUNNING, "", false);
      case NodeNews.Ended ended -> ended(table, node, ended);
    };
  }

  private static List<NodeDecision> moved(
      Node node, Observation seen, String message, boolean lacksRoom) {
    NodePhase next = NodePhase.next(node.phase(), seen);
    boolean runs = next == NodePhase.RUNNING;
    boolean known = message.equals(node.message()) && lacksRoom == node.lacksRoom();
    if (next == node.phase() && (runs || known)) {
      return List.of();
    }
    return NodeDecision.observed(
        new NodeEvent.NodeMoved(node.id(), next, message, lacksRoom && !runs));
  }

  private static List<NodeDecision> ended(NodeTable table, Node node, NodeNews.Ended news) {
    ExitReason reason = news.reason();
    if (wentForARest(table, node, reason)) {
      Relaunch relaunch = Relaunch.afterRest(node);
      return NodeDecision.of(
          List.of(
              new NodeEvent.NodesReleased(List.of(node.id())),
              ended(node, Observation.GONE, news),
              new NodeEvent.RelaunchPlanned(relaunch, false)),
          new Choice(
              new Subject.OfNode(node.id()),
              Rule.GONE_WHILE_SUSPENDED,
              List.of(
                  Input.name(InputName.EXIT_REASON, reason),
                  Input.text(InputName.MESSAGE, news.message()),
                  Input.time(InputName.SUSPENDED_UNTIL, table.restedUntilMillis())),
              Alternatives.rejected(Alternative.COUNT_AS_FAILURES, Objection.WERE_TOLD_TO_END),
              new Plan.ReplaceNode(node.id(), null, relaunch.resources(), 0, 0, 0)));
    }
    Observation seen =
        node.released()
            ? Observation.GONE
            : reason == ExitReason.SUCCEEDED ? Observation.SUCCEEDED : Observation.FAILED;
    return NodeDecision.observed(ended(node, seen, news));
  }

  /// Whether it is gone because the job rested and no master was there to tell it to go. Of two
  /// that have one place neither needs to have gone for that: the place has one who fills it.
  private static boolean wentForARest(NodeTable table, Node node, ExitReason reason) {
    return node.createdMillis() < table.restedUntilMillis()
        && node.staying()
        && !Handovers.isUnderWay(table, node)
        && reason.fromOutside()
        && table.phase().wantsNodes()
        && table.finishingMillis() == 0;
  }

  private static NodeEvent ended(Node node, Observation seen, NodeNews.Ended news) {
    return new NodeEvent.NodeEnded(
        node.id(), NodePhase.next(node.phase(), seen), news.reason(), news.message());
  }

  /// Nothing was heard of a node for too long: it counts as ended, whatever is left of it.
  public static List<NodeDecision> lose(NodeTable table, NodeId id, String message) {
    Node node = table.node(id);
    if (node == null || node.phase() != NodePhase.RUNNING) {
      return List.of();
    }
    NodeNews.Ended silence = new NodeNews.Ended(id, 137, false, ExitReason.NO_HEARTBEAT, message);
    return ended(table, node, silence);
  }

  /// A platform has listed every node that it has: those that ran and are not among them are gone.
  public static List<NodeDecision> list(NodeTable table, List<NodeNews> listed) {
    List<NodeDecision> decisions = new ArrayList<>();
    listed.forEach(news -> decisions.addAll(observe(table, news)));
    for (Node node : table.nodes()) {
      if (node.phase() == NodePhase.RUNNING
          && listed.stream().noneMatch(news -> news.node().equals(node.id()))) {
        decisions.addAll(
            ended(
                table,
                node,
                new NodeNews.Ended(
                    node.id(), 137, false, null, "it was gone when the master looked for it")));
      }
    }
    return decisions;
  }
}
