package dev.pliant.cli.run;

import dev.pliant.model.Elasticity;
import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What a user asks `pliant run` for. What is null is left to the job file, or to a default.
///
/// @param workers how many, and between which bounds
/// @param processes training processes on each node
/// @param restarts how often a node that failed by itself is replaced
/// @param environment what the command line adds to the workers' environment
/// @param logFolder where the workers' logs go instead of the job's folder
/// @param lastCallMillis how long the first group waits for more
/// @param start which checkpoint a new run starts from
public record RunRequest(
    Target target,
    @Nullable String name,
    @Nullable WorkerRange workers,
    @Nullable Integer processes,
    @Nullable Integer restarts,
    @Nullable Elasticity elasticity,
    Map<String, String> environment,
    @Nullable Path logFolder,
    @Nullable Integer lastCallMillis,
    @Nullable Start start) {

  /// Another run's checkpoint to start from.
  ///
  /// @param from `latest`, or a path
  /// @param withDataPosition whether its records count as done, too
  public record Start(String from, boolean withDataPosition) {}

  /// What is run.
  public sealed interface Target {
    /// A job file.
    record JobYaml(Path file) implements Target {}

    /// A Python script, with its arguments.
    record Script(String file, List<String> arguments) implements Target {}

    /// A Python module, with its arguments.
    record Module(String name, List<String> arguments) implements Target {}

    /// Any program, with its arguments.
    record Program(String file, List<String> arguments) implements Target {}
  }

  public RunRequest {
    environment = Collections.unmodifiableMap(new LinkedHashMap<>(environment));
  }

  /// A request for `target` that leaves everything else as it is.
  public static RunRequest of(Target target) {
    return new RunRequest(target, null, null, null, null, null, Map.of(), null, null, null);
  }
}
