package dev.pliant.agent;

import dev.pliant.model.WorkerId;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// How the training processes of a node ended, as far as they have.
///
/// @param exitCodes of those that ended, by worker; 128 + n for one that signal n ended
/// @param running those that still run
public record WorkersResult(Map<WorkerId, Integer> exitCodes, List<WorkerId> running) {
  public WorkersResult {
    exitCodes = Collections.unmodifiableMap(new LinkedHashMap<>(exitCodes));
    running = List.copyOf(running);
  }

  /// Whether all have ended.
  public boolean ended() {
    return running.isEmpty();
  }

  /// Whether all have ended well.
  public boolean succeeded() {
    return ended() && exitCodes.values().stream().allMatch(code -> code == 0);
  }
}
