package dev.pliant.operator;

import java.util.Collection;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Whether an operator still sees what it is to see.
///
/// One that looks after several namespaces loses its rights in one that is deleted, and with them
/// every watch there: that is no reason to leave the others alone. A watch that ended while others
/// of its namespace go on is.
final class WatchHealth {
  private WatchHealth() {}

  /// Why it is sick, or null.
  ///
  /// @param watches by source, and in it by namespace, whether it works
  static @Nullable String sick(Map<String, Map<String, Boolean>> watches) {
    Set<String> namespaces =
        watches.values().stream()
            .map(Map::keySet)
            .flatMap(Collection::stream)
            .collect(Collectors.toCollection(TreeSet::new));
    Set<String> lost =
        namespaces.stream()
            .filter(namespace -> watches.values().stream().noneMatch(of -> works(of, namespace)))
            .collect(Collectors.toSet());
    if (lost.size() == namespaces.size() && !namespaces.isEmpty()) {
      return "no watch works";
    }
    Set<String> broken = new TreeSet<>();
    watches.forEach((source, of) -> {
      if (of.keySet().stream().anyMatch(n -> !lost.contains(n) && !works(of, n))) {
        broken.add(source);
      }
    });
    return broken.isEmpty() ? null : "a watch has ended: " + broken;
  }

  private static boolean works(Map<String, Boolean> watches, String namespace) {
    return Boolean.TRUE.equals(watches.get(namespace));
  }
}
