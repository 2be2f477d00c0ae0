package dev.pliant.crds;

import org.jspecify.annotations.Nullable;

/// A variable of a process's environment.
///
/// @param value null where only a cluster can tell it (`valueFrom`)
public record EnvVar(String name, @Nullable String value) {
  public EnvVar {
    if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
      throw new IllegalArgumentException("no name for a variable: '" + name + "'");
    }
  }
}
