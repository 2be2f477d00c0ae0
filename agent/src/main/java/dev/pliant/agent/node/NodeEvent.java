package dev.pliant.agent.node;

import dev.pliant.agent.processes.ProcessEnd;
import dev.pliant.agent.world.WorldView;
import dev.pliant.model.WorkerId;

/// What the thread that owns a [Node] is told.
sealed interface NodeEvent {
  record Exited(WorkerId worker, ProcessEnd end) implements NodeEvent {}

  record Cleared(WorkerId worker) implements NodeEvent {}

  record Viewed(WorldView view) implements NodeEvent {}

  record Drained() implements NodeEvent {}

  record GivenUp() implements NodeEvent {}
}
