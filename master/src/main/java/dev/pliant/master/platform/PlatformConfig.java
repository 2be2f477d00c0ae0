package dev.pliant.master.platform;

import dev.pliant.model.JobPlan;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;

/// What a platform needs to know of a job.
///
/// @param plan the job's plan, variables included
/// @param folder the job's folder, an absolute path
/// @param agentCommand how an agent is started on this machine, up to its arguments
/// @param grace how long an agent gives its processes to end before it kills them
/// @param killAfter how long a node that is told to go may take before it is killed: its grace and
///   some more
/// @param current whether this master's word still counts; where a newer one has taken over,
///   nothing is started or ended any more. Asked before anything is done
public record PlatformConfig(
    JobPlan plan,
    Path folder,
    List<String> agentCommand,
    Duration grace,
    Duration killAfter,
    BooleanSupplier current) {
  /// How long processes may take to end, where nobody says.
  public static final Duration GRACE = Duration.ofSeconds(15);

  /// How much longer than its grace a node may take to go, where nobody says.
  public static final Duration MORE_GRACE = Duration.ofSeconds(10);

  public PlatformConfig {
    if (agentCommand.isEmpty()) {
      throw new IllegalArgumentException("an agent is started by some command");
    }
    if (!folder.isAbsolute()) {
      throw new IllegalArgumentException("the job's folder is no absolute path: " + folder);
    }
    agentCommand = List.copyOf(agentCommand);
  }
}
