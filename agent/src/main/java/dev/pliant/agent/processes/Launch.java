package dev.pliant.agent.processes;

import dev.pliant.model.WorkerId;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// One training process as it is to be started.
///
/// @param environment all its variables
/// @param folder where it runs
/// @param cgroups the control groups that it enters before it runs anything of the user's
public record Launch(
    WorkerId worker,
    List<String> command,
    Map<String, String> environment,
    Path folder,
    List<Path> cgroups) {
  public Launch {
    command = List.copyOf(command);
    environment = Collections.unmodifiableMap(new TreeMap<>(environment));
    cgroups = List.copyOf(cgroups);
  }
}
