package dev.pliant.machine.nodes;

import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodePhase.Observation;
import java.util.ArrayList;
import java.util.List;

/// Decides what comes of what is seen of nodes, and of what is not heard of them any more. Changes
/// nothing. News of a node that has ended, or that never was, comes to nothing.
public final class NodeObserver {
  private NodeObserver() {}

  /// A platform has seen something of a node.
  public static Ruling observe(NodeTable table, NodeNews news) {
    Node node = table.node(news.node());
    if (node == null || node.phase().ended()) {
      return Ruling.NOTHING;
    }
    return switch (news) {
      case NodeNews.Pending(NodeId _, String message, boolean lacksRoom) ->
          moved(node, Observation.PENDING, message, lacksRoom);
      case NodeNews.Running _ -> moved(node, Observation.RUNNING, "", false);
      case NodeNews.Ended ended -> new Ruling(ended(table, node, ended), List.of());
    };
  }

  private static Ruling moved(Node node, Observation seen, String message, boolean lacksRoom) {
    NodePhase next = NodePhase.next(node.phase(), seen);
    boolean runs = next == NodePhase.RUNNING;
    boolean known = message.equals(node.message()) && lacksRoom == node.lacksRoom();
    if (next == node.phase() && (runs || known)) {
      return Ruling.NOTHING;
    }
    return new Ruling(
        List.of(new NodeEvent.NodeMoved(node.id(), next, message, lacksRoom && !runs)), List.of());
  }

  private static List<NodeEvent> ended(NodeTable table, Node node, NodeNews.Ended news) {
    ExitReason reason = news.reason();
    if (wentForARest(table, node, reason)) {
      return List.of(
          new NodeEvent.NodesReleased(List.of(node.id())),
          ended(node, Observation.GONE, news),
          new NodeEvent.RelaunchPlanned(Relaunch.afterRest(node), false));
    }
    Observation seen =
        node.released()
            ? Observation.GONE
            : reason == ExitReason.SUCCEEDED ? Observation.SUCCEEDED : Observation.FAILED;
    return List.of(ended(node, seen, news));
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
  public static Ruling lose(NodeTable table, NodeId id, String message) {
    Node node = table.node(id);
    if (node == null || node.phase() != NodePhase.RUNNING) {
      return Ruling.NOTHING;
    }
    NodeNews.Ended silence = new NodeNews.Ended(id, 137, false, ExitReason.NO_HEARTBEAT, message);
    return new Ruling(ended(table, node, silence), List.of());
  }

  /// A platform has listed every node that it has: those that ran and are not among them are gone.
  public static Ruling list(NodeTable table, List<NodeNews> listed) {
    List<NodeEvent> events = new ArrayList<>();
    listed.forEach(news -> events.addAll(observe(table, news).events()));
    for (Node node : table.nodes()) {
      if (node.phase() == NodePhase.RUNNING
          && listed.stream().noneMatch(news -> news.node().equals(node.id()))) {
        events.addAll(
            ended(
                table,
                node,
                new NodeNews.Ended(
                    node.id(), 137, false, null, "it was gone when the master looked for it")));
      }
    }
    return new Ruling(events, List.of());
  }
}
