package dev.pliant.model.decision;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// What was chosen and why: a decision that has no place in a journal yet. Where nothing is
/// journalled, as in the operator, it is the whole decision.
///
/// @param subject what it is about
/// @param rule the rule that fired
/// @param inputs the values that were read, in the order of their reading
/// @param alternatives what was rejected
/// @param plan what is done now
/// @param prediction what the plan is expected to bring; null where nothing was predicted
public record Choice(
    Subject subject,
    Rule rule,
    List<Input> inputs,
    Alternatives alternatives,
    Plan plan,
    @Nullable Prediction prediction) {

  public Choice {
    inputs = List.copyOf(inputs);
    if (inputs.isEmpty()) {
      throw new IllegalArgumentException("a decision has inputs: " + subject + ", " + rule);
    }
  }

  /// One that predicts nothing.
  public Choice(
      Subject subject, Rule rule, List<Input> inputs, Alternatives alternatives, Plan plan) {
    this(subject, rule, inputs, alternatives, plan, null);
  }

  /// The decision, with its place in the journal.
  public Decision at(long id, long atMillis, List<Long> events) {
    return new Decision(id, atMillis, this, events);
  }

  /// The value of an input, or null. Where a name occurs more than once this is the first.
  public @Nullable Value input(InputName name) {
    return inputs.stream()
        .filter(input -> input.name() == name)
        .map(Input::value)
        .findFirst()
        .orElse(null);
  }
}
