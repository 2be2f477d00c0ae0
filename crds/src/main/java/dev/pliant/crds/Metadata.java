package dev.pliant.crds;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// What a job is called, and what others have noted on it.
///
/// @param namespace `default` where the file gives none
public record Metadata(
    String name, String namespace, Map<String, String> labels, Map<String, String> annotations) {
  public Metadata {
    labels = Collections.unmodifiableMap(new LinkedHashMap<>(labels));
    annotations = Collections.unmodifiableMap(new LinkedHashMap<>(annotations));
  }
}
