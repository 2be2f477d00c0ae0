package dev.pliant.master.platform;

import dev.pliant.model.JobPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;

/// What a platform needs to know of a job.
///
/// @param plan the job's plan, variables included
/// @param folder the job's folder, an absolute path
/// @param agentCommand how an agent is started on this machine, up to its arguments; empty where a
///   platform knows by itself
/// @param grace how long an agent gives its processes to end before it kills them
/// @param killAfter how long a node that is told to go may take before it is killed: its grace and
///   some more
/// @param current whether this master's word still counts; where a newer one has taken over,
///   nothing is started or ended any more. Asked before anything is done
/// @param epoch which master this is
/// @param settings what only some platforms need to know, by name
public record PlatformConfig(
    JobPlan plan,
    Path folder,
    List<String> agentCommand,
    Duration grace,
    Duration killAfter,
    BooleanSupplier current,
    long epoch,
    Map<String, String> settings) {
  /// How long processes may take to end, where nobody says.
  public static final Duration GRACE = Duration.ofSeconds(15);

  /// How much longer than its grace a node may take to go, where nobody says.
  public static final Duration MORE_GRACE = Duration.ofSeconds(10);

  public PlatformConfig {
    if (!folder.isAbsolute()) {
      throw new IllegalArgumentException("the job's folder is no absolute path: " + folder);
    }
    agentCommand = List.copyOf(agentCommand);
    settings = Map.copyOf(settings);
  }
}
