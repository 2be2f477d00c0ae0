package dev.pliant.crds;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// One container of a replica.
///
/// @param image null where the file gives none; on the local platform it has no meaning
/// @param workingDir null where the file gives none
public record Container(
    String name,
    @Nullable String image,
    List<String> command,
    List<String> args,
    List<EnvVar> env,
    @Nullable String workingDir,
    Resources resources) {
  public Container {
    command = List.copyOf(command);
    args = List.copyOf(args);
    env = List.copyOf(env);
  }

  /// What it may use at most, and what it must be given, as Kubernetes quantities by name.
  public record Resources(Map<String, String> limits, Map<String, String> requests) {
    public static final Resources NONE = new Resources(Map.of(), Map.of());

    public Resources {
      limits = Collections.unmodifiableMap(new LinkedHashMap<>(limits));
      requests = Collections.unmodifiableMap(new LinkedHashMap<>(requests));
    }
  }
}
