package dev.pliant.benchmarks;

import java.time.Duration;

/// How long and how often is measured.
///
/// @param rounds how often two things are measured in turns
/// @param round how long one of them is measured at a time
/// @param warmUp how long a fresh server is driven before its first round
/// @param starts how often a master is started
/// @param trainings how often a training is run beside a peer's
/// @param waves how often the pods of many jobs are made beside a peer's
/// @param shards how many shards a master hands out before its memory is read
/// @param peerShards the same for DLRover, which needs half an hour for a million
record Plan(
    boolean full,
    int rounds,
    Duration round,
    Duration warmUp,
    int starts,
    int trainings,
    int waves,
    long shards,
    long peerShards) {

  Plan {
    if (rounds < 1
        || starts < 1
        || trainings < 1
        || waves < 1
        || shards < 1
        || peerShards < 1
        || round.toMillis() < 1000) {
      throw new IllegalArgumentException("a plan needs a round of a second or more: " + rounds);
    }
  }

  static Plan quickForm() {
    return new Plan(
        false, 3, Duration.ofSeconds(5), Duration.ofSeconds(15), 3, 1, 3, 1_000_000, 50_000);
  }

  static Plan longForm() {
    return new Plan(
        true, 9, Duration.ofSeconds(10), Duration.ofSeconds(20), 9, 5, 5, 1_000_000, 1_000_000);
  }
}
