package dev.pliant.master.platform.local;

import dev.pliant.machine.nodes.NodeNews;
import dev.pliant.model.NodeId;
import org.jspecify.annotations.Nullable;

/// A node that was claimed, from then until it has ended and nothing of it is left. It belongs to
/// the thread of [LocalNodes].
final class TrackedNode {
  /// How often what an ended node has left behind is looked for: somebody may have forked.
  static final int SWEEPS = 3;

  final NodeId id;
  final Claim claim;

  /// Its agent, where this process started it.
  final @Nullable Process child;

  boolean running;
  boolean ended;
  int sweeps;
  long sweptNanos;
  long toldNanos;
  boolean told;
  boolean killed;
  NodeNews.@Nullable Ended farewell;

  TrackedNode(NodeId id, Claim claim, @Nullable Process child) {
    this.id = id;
    this.claim = claim;
    this.child = child;
  }

  boolean alive() {
    return child == null ? claim.alive() : child.isAlive();
  }

  /// Whether something about it changes without a word.
  boolean isToBeLookedAt() {
    return ended ? isToBeSwept() : child == null || !running || told || killed;
  }

  /// One that was never started has left nothing.
  boolean isToBeSwept() {
    return sweeps < SWEEPS && claim.pid() != 0;
  }
}
