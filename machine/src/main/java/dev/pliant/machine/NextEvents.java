package dev.pliant.machine;

import dev.pliant.machine.nodes.NodeDecision;
import dev.pliant.model.decision.Choice;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Events that are to be applied next, in their order. It knows the number that each will have, so
/// a decision can name those that it causes.
final class NextEvents {
  private final long before;
  private final long nowMillis;
  private final List<Event> events = new ArrayList<>();

  NextEvents(JobState state, long nowMillis) {
    this.before = state.events();
    this.nowMillis = nowMillis;
  }

  /// Adds an event and returns its number.
  long add(Event event) {
    events.add(event);
    return before + events.size();
  }

  /// Adds events and, after them, the decision that causes them.
  void decide(List<? extends Event> caused, @Nullable Choice choice) {
    List<Long> numbers = new ArrayList<>();
    caused.forEach(event -> numbers.add(add(event)));
    if (choice != null) {
      decided(numbers, choice);
    }
  }

  /// Adds a decision that causes events which were added before.
  void decided(List<Long> caused, Choice choice) {
    long id = before + events.size() + 1;
    events.add(new Event.DecisionMade(choice.at(id, nowMillis, caused)));
  }

  void decide(List<NodeDecision> decisions) {
    for (NodeDecision decision : decisions) {
      decide(decision.events().stream().map(Event.Nodes::new).toList(), decision.choice());
    }
  }

  boolean isEmpty() {
    return events.isEmpty();
  }

  List<Event> list() {
    return List.copyOf(events);
  }
}
