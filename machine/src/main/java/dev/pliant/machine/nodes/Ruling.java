package dev.pliant.machine.nodes;

import dev.pliant.model.Decision;
import java.util.List;

/// What a rule comes to: the events to record, and what they were decided from.
public record Ruling(List<NodeEvent> events, List<Decision> decisions) {
  /// Nothing follows.
  public static final Ruling NOTHING = new Ruling(List.of(), List.of());

  public Ruling {
    events = List.copyOf(events);
    decisions = List.copyOf(decisions);
  }

  static Ruling of(NodeEvent event, Decision decision) {
    return new Ruling(List.of(event), List.of(decision));
  }

  public boolean isNothing() {
    return events.isEmpty();
  }
}
