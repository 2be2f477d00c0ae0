package dev.pliant.agent.processes;

import dev.pliant.model.WorkerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Finds processes that somebody has stopped and not gone on (`SIGSTOP`): their peers stand still
/// with them, in the middle of a collective. The time is told to it.
final class StoppedProcesses {
  private final long patienceNanos;
  private final Map<WorkerId, Long> since = new HashMap<>();

  StoppedProcesses(long patienceNanos) {
    this.patienceNanos = patienceNanos;
  }

  /// Takes note of those that are stopped now.
  ///
  /// @return those that have been for longer than the patience
  List<WorkerId> look(Set<WorkerId> stopped, long now) {
    since.keySet().retainAll(stopped);
    List<WorkerId> found = new ArrayList<>();
    for (WorkerId worker : stopped) {
      long first = since.computeIfAbsent(worker, _ -> now);
      if (now - first >= patienceNanos) {
        found.add(worker);
      }
    }
    return found;
  }
}
