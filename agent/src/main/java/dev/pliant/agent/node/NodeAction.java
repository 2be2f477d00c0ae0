package dev.pliant.agent.node;

import dev.pliant.agent.world.Placement;
import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What is to be done for a node.
sealed interface NodeAction {
  /// Start processes that find their group by themselves.
  record Start(List<WorkerId> workers) implements NodeAction {}

  /// Start processes with the ranks of a world.
  record StartInWorld(Map<WorkerId, Placement> placements) implements NodeAction {
    public StartInWorld {
      placements = Collections.unmodifiableMap(new LinkedHashMap<>(placements));
    }
  }

  /// Ask the processes to end.
  record Terminate(List<WorkerId> workers) implements NodeAction {}

  /// End the processes.
  record Kill(List<WorkerId> workers) implements NodeAction {}

  /// Wait for the world after a version, for all processes.
  record Arrive(long after) implements NodeAction {}

  /// Tell the master that a process is gone.
  record Leave(WorkerId worker, ExitReason reason, String message) implements NodeAction {}

  /// Tell the master that the processes are to go.
  record Drain() implements NodeAction {}

  /// Tell the master that all processes go now.
  record LeaveAll(String why) implements NodeAction {}

  /// The node is over.
  record Exit(NodeEnd end) implements NodeAction {}
}
