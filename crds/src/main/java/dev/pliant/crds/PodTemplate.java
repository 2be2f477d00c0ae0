package dev.pliant.crds;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What one replica is. Kubernetes owns the shape of it, so fields that Pliant does not know are no
/// error: they are kept in `source` for the cluster.
///
/// @param containers at least one; the first is the training process
/// @param source the whole template as it was written: maps, lists, text, numbers, booleans, nulls
public record PodTemplate(List<Container> containers, Map<String, Object> source) {
  public PodTemplate {
    if (containers.isEmpty()) {
      throw new IllegalArgumentException("a pod template has a container");
    }
    containers = List.copyOf(containers);
    source = Collections.unmodifiableMap(new LinkedHashMap<>(source));
  }

  /// The container of the training process.
  public Container main() {
    return containers.getFirst();
  }
}
