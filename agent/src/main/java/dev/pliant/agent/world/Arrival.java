package dev.pliant.agent.world;

/// What a process says when it waits for the next world.
///
/// @param after the version of the world it was in last; 0 for none
/// @param holdsState whether it has the state of the training
/// @param address HOST:PORT where the group meets should this one become rank 0
public record Arrival(long after, boolean holdsState, String address) {
  /// A process that begins, again or for the first time.
  boolean isFresh() {
    return after == 0 && !holdsState;
  }
}
