package dev.pliant.model.decision;

/// A value that a decision was made from.
public record Input(InputName name, Value value) {
  public Input {
    if (!name.kind().isInstance(value)) {
      throw new IllegalArgumentException(
          "input %s is a %s, not %s".formatted(name.word(), name.kind().getSimpleName(), value));
    }
  }

  public static Input count(InputName name, long count) {
    return new Input(name, new Value.Count(count));
  }

  public static Input amount(InputName name, double amount) {
    return new Input(name, new Value.Amount(amount));
  }

  public static Input duration(InputName name, long millis) {
    return new Input(name, new Value.Duration(millis));
  }

  public static Input time(InputName name, long millis) {
    return new Input(name, new Value.Time(millis));
  }

  public static Input mib(InputName name, long mib) {
    return new Input(name, new Value.Mib(mib));
  }

  public static Input name(InputName name, String value) {
    return new Input(name, new Value.Name(value));
  }

  /// A constant, by its word.
  public static Input name(InputName name, Enum<?> value) {
    return new Input(name, new Value.Name(Words.kebab(value)));
  }

  /// What came from outside, shortened where it is long.
  public static Input text(InputName name, String text) {
    return new Input(name, Value.Text.of(text));
  }
}
