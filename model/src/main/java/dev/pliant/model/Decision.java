package dev.pliant.model;

import java.util.List;

/// Something that was decided, and from what: never without its inputs, its rule and what it turned
/// down. Journalled as it is made, so that a job's history explains itself.
///
/// @param subject what it is about, for instance `worker trainer-3` or `dataset train`
/// @param rule the rule that fired, by the name the documentation gives it
/// @param inputs what was read, in the order of its reading
/// @param rejected the alternatives, each with why not
/// @param plan what is done now, in a sentence
public record Decision(
    String subject, String rule, List<Input> inputs, List<Rejected> rejected, String plan) {

  public Decision {
    if (subject.isBlank() || rule.isBlank() || plan.isBlank() || inputs.isEmpty()) {
      throw new IllegalArgumentException(
          "a decision has a subject, a rule, inputs and a plan: " + subject + ", " + rule);
    }
    inputs = List.copyOf(inputs);
    rejected = List.copyOf(rejected);
  }

  /// One value that was read.
  public record Input(String name, String value) {}

  /// One alternative that was turned down.
  public record Rejected(String alternative, String why) {}
}
