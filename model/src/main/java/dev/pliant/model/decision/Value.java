package dev.pliant.model.decision;

import dev.pliant.model.NodeResources;
import java.util.Collection;
import java.util.List;

/// A value that a decision was made from.
public sealed interface Value {
  record Count(long count) implements Value {}

  record Amount(double amount) implements Value {}

  record Duration(long millis) implements Value {}

  /// @param millis since 1970
  record Time(long millis) implements Value {}

  record Mib(long mib) implements Value {}

  /// A name or a word.
  record Name(String name) implements Value {}

  /// Several names.
  ///
  /// @param first the first [#NAMED] at the most
  /// @param count how many there are
  record Names(List<String> first, int count) implements Value {
    /// How many are named.
    public static final int NAMED = 16;

    public Names {
      first = List.copyOf(first);
      if (first.size() > NAMED || first.size() > count) {
        throw new IllegalArgumentException("%d of %d names".formatted(first.size(), count));
      }
    }

    public static Names of(Collection<?> names) {
      return new Names(names.stream().limit(NAMED).map(Object::toString).toList(), names.size());
    }
  }

  record Resources(NodeResources resources) implements Value {}

  record Flag(boolean flag) implements Value {}

  /// What came from outside, such as the last line of a process. It holds no sentence of ours.
  record Text(String text) implements Value {
    /// How many characters are kept.
    public static final int MAX_LENGTH = 1_024;

    public Text {
      if (text.length() > MAX_LENGTH) {
        throw new IllegalArgumentException("a text of %,d characters".formatted(text.length()));
      }
    }

    /// Shortened where it is long: its end usually says what went wrong.
    public static Text of(String text) {
      return new Text(
          text.length() <= MAX_LENGTH
              ? text
              : "…" + text.substring(text.length() - MAX_LENGTH + 1));
    }
  }
}
