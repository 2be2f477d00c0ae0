package dev.pliant.agent.world;

import dev.pliant.model.WorkerId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;

/// What processes for which the agent itself waits are told at one moment.
///
/// @param answers by worker
/// @param reforming whether the newest world that any of them is, or was, in is to end
public record WorldView(Map<WorkerId, WorldAnswer> answers, Reforming reforming) {
  public WorldView {
    answers = Collections.unmodifiableMap(new LinkedHashMap<>(answers));
  }
}
