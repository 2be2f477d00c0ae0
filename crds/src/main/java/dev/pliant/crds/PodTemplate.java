package dev.pliant.crds;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What one replica is. Kubernetes owns the shape of it, so fields that Pliant does not know are no
/// error: they are kept in `source` for the cluster.
///
/// @param containers at least one; the one named `main` is the training process, else the first
/// @param source the whole template as it was written: maps, lists, text, numbers, booleans, nulls
public record PodTemplate(List<Container> containers, Map<String, Object> source) {
  private static final String MAIN = "main";

  public PodTemplate {
    if (containers.isEmpty()) {
      throw new IllegalArgumentException("a pod template has a container");
    }
    containers = List.copyOf(containers);
    source = Collections.unmodifiableMap(new LinkedHashMap<>(source));
  }

  /// The container of the training process.
  public Container main() {
    return containers.get(mainIndex());
  }

  /// Where [#main] stands among the containers. Manifests of others may have a helper before it.
  public int mainIndex() {
    for (int i = 0; i < containers.size(); i++) {
      if (containers.get(i).name().equals(MAIN)) {
        return i;
      }
    }
    return 0;
  }

  /// Whether a replica is on its machine's own network.
  public boolean hostNetwork() {
    return source.get("spec") instanceof Map<?, ?> pod
        && Boolean.parseBoolean(String.valueOf(pod.get("hostNetwork")));
  }
}
