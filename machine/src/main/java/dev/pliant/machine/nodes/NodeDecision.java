package dev.pliant.machine.nodes;

import dev.pliant.model.decision.Choice;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Events of a job's nodes, and the choice that causes them.
///
/// @param choice null where nothing was chosen: a platform saw something of a node, or a user gave
///   the first plan
public record NodeDecision(List<NodeEvent> events, @Nullable Choice choice) {
  public NodeDecision {
    events = List.copyOf(events);
  }

  static List<NodeDecision> of(NodeEvent event, Choice choice) {
    return of(List.of(event), choice);
  }

  static List<NodeDecision> of(List<NodeEvent> events, Choice choice) {
    return List.of(new NodeDecision(events, choice));
  }

  /// What was observed.
  static List<NodeDecision> observed(NodeEvent... events) {
    return List.of(new NodeDecision(List.of(events), null));
  }
}
