package dev.pliant.benchmarks;

import java.util.Locale;

/// What a row must reach.
sealed interface Bar {
  /// The median ratio to the peer, or the limit, is at least this.
  record RatioAtLeast(double ratio) implements Bar {}

  /// The median ratio to the peer is below this.
  record RatioBelow(double ratio) implements Bar {}

  /// The median itself is at most this, in the row's unit.
  record ValueAtMost(double value) implements Bar {}

  /// Nothing was promised: the row is there to be read.
  record None() implements Bar {}

  static Bar none() {
    return new None();
  }

  /// For people.
  default String text() {
    return switch (this) {
      case RatioAtLeast(double ratio) -> "≥ " + number(ratio) + "×";
      case RatioBelow(double ratio) -> "< " + number(ratio) + "×";
      case ValueAtMost(double value) -> "≤ " + number(value);
      case None() -> "";
    };
  }

  private static String number(double value) {
    return value == Math.rint(value)
        ? String.format(Locale.ROOT, "%.0f", value)
        : String.format(Locale.ROOT, "%.2f", value);
  }
}
