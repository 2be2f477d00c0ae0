package dev.pliant.crds;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A variable of a process's environment.
///
/// @param value null where only a cluster can tell it
/// @param valueFrom where a cluster finds it, in Kubernetes' own shape; null where there is a value
public record EnvVar(String name, @Nullable String value, @Nullable Map<String, Object> valueFrom) {
  public EnvVar {
    if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("no name for a variable: '" + name + "'");
    }
    if ((value == null) == (valueFrom == null)) {
      throw new IllegalArgumentException("a variable has a value, or a place to find it");
    }
    valueFrom =
        valueFrom == null ? null : Collections.unmodifiableMap(new LinkedHashMap<>(valueFrom));
  }

  public EnvVar(String name, String value) {
    this(name, value, null);
  }
}
