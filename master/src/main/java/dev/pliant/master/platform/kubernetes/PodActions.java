package dev.pliant.master.platform.kubernetes;

import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.model.NodeId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// What is to be done about pods, so that those there are become those desired. A node has a pod
/// once, ever: one whose pod was made and is no more has ended.
///
/// | desired | its pod | what is done |
/// |---|---|---|
/// | to run | was never made | create |
/// | to run | made, alive or ended or gone | nothing |
/// | to go | alive | remove, with grace |
/// | to go | was never made | prevent: it never will be |
/// | not at all | alive | kill |
///
/// @param create in the order in which they are desired
/// @param remove with grace, those being removed already included no more
/// @param kill at once
/// @param prevent told to end without having been
record PodActions(
    List<DesiredNode> create, List<NodeId> remove, List<NodeId> kill, List<NodeId> prevent) {

  /// A pod as it is.
  enum Life {
    ALIVE,
    /// It was told to go, and has its grace.
    LEAVING,
    ENDED
  }

  /// @param pods those there are
  /// @param made nodes whose pods were ever made
  /// @param gone nodes that were told to go once
  static PodActions decide(
      List<DesiredNode> desired, Map<NodeId, Life> pods, Set<NodeId> made, Set<NodeId> gone) {
    List<DesiredNode> create = new ArrayList<>();
    List<NodeId> remove = new ArrayList<>();
    List<NodeId> prevent = new ArrayList<>();
    Map<NodeId, Life> unwanted = new LinkedHashMap<>(pods);
    for (DesiredNode node : desired) {
      Life life = unwanted.remove(node.id());
      boolean never = life == null && !made.contains(node.id());
      if (node.leaving()) {
        if (never) {
          prevent.add(node.id());
        } else if (life == Life.ALIVE) {
          remove.add(node.id());
        }
      } else if (never && !gone.contains(node.id())) {
        create.add(node);
      }
    }
    List<NodeId> kill =
        unwanted.entrySet().stream()
            .filter(pod -> pod.getValue() != Life.ENDED)
            .map(Map.Entry::getKey)
            .toList();
    return new PodActions(create, remove, kill, prevent);
  }
}
