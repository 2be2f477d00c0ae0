package dev.pliant.benchmarks;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// One line of the result: a quantity, what it stands beside, and what it must reach. `failure` is
/// set where it could not be measured; such a row meets no bar.
record Row(
    String measure,
    String name,
    String unit,
    @Nullable Series value,
    @Nullable Peer peer,
    Bar bar,
    Map<String, Object> details,
    @Nullable String failure) {

  /// What a quantity stands beside: a limit of the same server, or another system.
  record Peer(String name, Series value) {}

  Row {
    details = new LinkedHashMap<>(details);
    if ((value == null) == (failure == null)) {
      throw new IllegalArgumentException("a row has either a value or a failure: " + name);
    }
  }

  static Row of(String measure, String name, String unit, Series value, Bar bar) {
    return new Row(measure, name, unit, value, null, bar, Map.of(), null);
  }

  static Row failed(String measure, String name, String failure) {
    return new Row(measure, name, "", null, null, Bar.none(), Map.of(), failure);
  }

  Row beside(String peerName, Series peerValue) {
    return new Row(
        measure, name, unit, value, new Peer(peerName, peerValue), bar, details, failure);
  }

  Row must(Bar reach) {
    return new Row(measure, name, unit, value, peer, reach, details, failure);
  }

  Row with(String key, Object detail) {
    var more = new LinkedHashMap<>(details);
    more.put(key, detail);
    return new Row(measure, name, unit, value, peer, bar, more, failure);
  }

  Optional<Series> ratio() {
    return value == null || peer == null ? Optional.empty() : Optional.of(value.over(peer.value()));
  }

  /// Whether the bar is met; empty where there is none.
  Optional<Boolean> met() {
    if (value == null) {
      return Optional.of(false);
    }
    return switch (bar) {
      case Bar.RatioAtLeast(double least) -> ratio().map(ratio -> ratio.median() >= least);
      case Bar.RatioBelow(double below) -> ratio().map(ratio -> ratio.median() < below);
      case Bar.ValueAtMost(double most) -> Optional.of(value.median() <= most);
      case Bar.None() -> Optional.empty();
    };
  }
}
