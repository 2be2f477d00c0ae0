package dev.pliant.master.journal;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/// An enum of the model as a protobuf enum, whose constants have explicit numbers. Made from a
/// switch without `default`, so a constant without a number does not compile.
///
/// @param <M> the enum of the model
/// @param <P> the protobuf enum
public final class EnumMapping<M extends Enum<M>, P extends Enum<P>> {
  private final String what;
  private final Map<M, P> encoded;
  private final Map<P, M> decoded;

  /// @param what a name for one of them, for errors: "a phase of a node"
  EnumMapping(String what, Class<M> model, Class<P> protobuf, Function<M, P> encode) {
    this.what = what;
    this.encoded = new EnumMap<>(model);
    this.decoded = new EnumMap<>(protobuf);
    for (M constant : model.getEnumConstants()) {
      P form = encode.apply(constant);
      encoded.put(constant, form);
      M other = decoded.put(form, constant);
      if (other != null) {
        throw new IllegalArgumentException(
            "%s and %s have the same form %s".formatted(other, constant, form));
      }
    }
  }

  public P encode(M constant) {
    return Objects.requireNonNull(encoded.get(constant));
  }

  /// What a message from outside names; empty where this Pliant does not know it.
  public Optional<M> find(P form) {
    return Optional.ofNullable(decoded.get(form));
  }

  /// What a journal names.
  M decode(P form) {
    return find(form).orElseThrow(() -> JournalVersion.unknown(what));
  }
}
