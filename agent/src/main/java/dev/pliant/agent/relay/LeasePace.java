package dev.pliant.agent.relay;

import java.time.Duration;

/// How many shards to hold ahead of a process: enough for it never to wait for the master, and not
/// so many that others wait for shards which lie here. A process that trains shards in milliseconds
/// gets the full number; one that takes minutes for each gets one.
final class LeasePace {
  /// How far ahead in time to lease.
  static final Duration HORIZON = Duration.ofSeconds(10);

  /// Until the pace is known.
  private static final int FIRST_TARGET = 2;

  private static final long UNKNOWN = -1;

  private final int leaseAhead;
  private boolean begun;
  private long handedAt;
  private boolean handed;
  private long nanosPerShard = UNKNOWN;

  LeasePace(int leaseAhead) {
    this.leaseAhead = leaseAhead;
  }

  /// Whether the process has ever asked for a shard.
  boolean begun() {
    return begun;
  }

  /// The process asks for a shard: since the last one was handed to it, it has trained.
  void asked(long now) {
    begun = true;
    if (handed) {
      long took = Math.max(0, now - handedAt);
      nanosPerShard =
          nanosPerShard == UNKNOWN ? took : nanosPerShard - nanosPerShard / 4 + took / 4;
      handed = false;
    }
  }

  void handed(long now) {
    handed = true;
    handedAt = now;
  }

  /// How many shards to have ahead, at most what was configured.
  int target() {
    if (nanosPerShard == UNKNOWN) {
      return Math.min(FIRST_TARGET, leaseAhead);
    }
    long within = HORIZON.toNanos() / Math.max(1, nanosPerShard);
    return (int) Math.min(leaseAhead, Math.max(1, within));
  }
}
