package dev.pliant.model.decision;

import dev.pliant.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Something that was decided: what was chosen and why, when, and which events it caused.
///
/// @param id the sequence number of its own event in the job's journal
/// @param atMillis when it was decided, in milliseconds since 1970
/// @param choice what was chosen, and why
/// @param events sequence numbers of the events that it caused, ascending. They stand before the
///   decision's own event.
public record Decision(long id, long atMillis, Choice choice, List<Long> events) {
  public Decision {
    events = List.copyOf(events);
    long before = 0;
    for (long event : events) {
      if (event <= before || event >= id) {
        throw new IllegalArgumentException(
            "decision %d cannot have caused event %d after event %d".formatted(id, event, before));
      }
      before = event;
    }
  }

  public Subject subject() {
    return choice.subject();
  }

  public Rule rule() {
    return choice.rule();
  }

  public List<Input> inputs() {
    return choice.inputs();
  }

  public Alternatives alternatives() {
    return choice.alternatives();
  }

  public Plan plan() {
    return choice.plan();
  }

  public @Nullable Prediction prediction() {
    return choice.prediction();
  }

  /// Whether this node is the decision's subject, or its plan names it.
  public boolean concerns(NodeId node) {
    return choice.subject().concerns(node) || choice.plan().concerns(node);
  }
}
