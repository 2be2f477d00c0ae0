package dev.pliant.operator.decision;

import dev.pliant.model.decision.Choice;
import dev.pliant.views.DecisionText;

/// What people are told of a decision: an Event of the job.
///
/// @param reason one word, for machines
public record Notice(Kind kind, String reason, String message) {
  /// Kubernetes' two kinds of events.
  public enum Kind {
    NORMAL("Normal"),
    WARNING("Warning");

    private final String spelling;

    Kind(String spelling) {
      this.spelling = spelling;
    }

    public String spelling() {
      return spelling;
    }
  }

  /// What this operator decided, in words.
  static Notice of(Choice choice) {
    return new Notice(
        choice.rule().isTrouble() ? Kind.WARNING : Kind.NORMAL,
        choice.rule().reason(),
        DecisionText.PLAIN.of(choice));
  }

  static Notice normal(String reason, String message) {
    return new Notice(Kind.NORMAL, reason, message);
  }

  static Notice warning(String reason, String message) {
    return new Notice(Kind.WARNING, reason, message);
  }
}
