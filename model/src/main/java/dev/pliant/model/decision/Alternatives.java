package dev.pliant.model.decision;

import java.util.List;

/// What a decision turned down.
public sealed interface Alternatives {
  /// There was nothing else to choose.
  record NonePossible() implements Alternatives {}

  /// @param alternatives at least one
  record Rejected(List<Rejection> alternatives) implements Alternatives {
    public Rejected {
      alternatives = List.copyOf(alternatives);
      if (alternatives.isEmpty()) {
        throw new IllegalArgumentException("rejected alternatives are named, or none was possible");
      }
    }
  }

  static Alternatives rejected(Rejection... alternatives) {
    return new Rejected(List.of(alternatives));
  }

  static Alternatives rejected(Alternative alternative, Objection why) {
    return rejected(new Rejection(alternative, why));
  }

  static Alternatives nonePossible() {
    return new NonePossible();
  }

  /// The rejected ones; none where none was possible.
  default List<Rejection> list() {
    return switch (this) {
      case NonePossible _ -> List.of();
      case Rejected(List<Rejection> alternatives) -> alternatives;
    };
  }

  /// One alternative, and why it was rejected.
  record Rejection(Alternative alternative, Objection why) {}
}
