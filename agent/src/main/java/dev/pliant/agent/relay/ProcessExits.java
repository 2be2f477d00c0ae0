package dev.pliant.agent.relay;

import dev.pliant.model.WorkerId;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/// How processes end, for those that this agent started.
public interface ProcessExits {
  /// The exit code of a worker's process, to come or there; nothing for a process of somebody else.
  Optional<CompletableFuture<Integer>> exitOf(WorkerId worker);
}
