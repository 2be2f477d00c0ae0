package dev.pliant.machine.nodes;

import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.Strategy;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/// A place of a role that is filled or is to be. Places stand in an order, of which a role that
/// shrinks gives up the last first.
///
/// One that stays until another runs stands before that one, wherever it stood: they have one
/// place.
///
/// In a group the youngest goes first, and before it who is not there yet: the oldest holds the
/// state of the training for the longest. Elsewhere the highest rank does: places are known by
/// their ranks, and those that stay are to be the first.
///
/// @param id the node that fills it, or whose place another is to take
/// @param stays whether its node is there or on its way, and is to stay
record Place(NodeId id, int rank, NodeResources resources, boolean stays) {
  static List<Place> inOrder(NodeTable table, String role) {
    List<Place> places = new ArrayList<>();
    for (Node node : table.nodes()) {
      if (node.isOf(role)
          && (node.staying() || node.awaitsJudgement())
          && !Handovers.isToRelieve(table, node)) {
        places.add(of(node));
        Node successor = table.successor(node.id());
        if (successor != null) {
          places.add(of(successor));
        }
      }
    }
    for (Relaunch relaunch : table.relaunches()) {
      if (relaunch.of().role().equals(role)) {
        Node of = table.node(relaunch.of());
        int rank = of == null ? Integer.MAX_VALUE : of.rank();
        places.add(new Place(relaunch.of(), rank, relaunch.resources(), false));
      }
    }
    if (!isGroup(table, role)) {
      places.sort(Comparator.comparingInt(Place::rank));
    }
    return places;
  }

  private static Place of(Node node) {
    return new Place(node.id(), node.rank(), node.resources(), node.staying());
  }

  private static boolean isGroup(NodeTable table, String role) {
    return role.equals(NodeId.WORKER) && table.plan().strategy() == Strategy.ALLREDUCE;
  }
}
