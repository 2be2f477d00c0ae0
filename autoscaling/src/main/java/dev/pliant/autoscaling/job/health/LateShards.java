package dev.pliant.autoscaling.job.health;

import dev.pliant.autoscaling.job.AutoScalingSettings.StallSettings;
import dev.pliant.model.WorkerId;
import java.util.List;

/// Shards that are out for too long: longer than `max(300 s, 3·(the slowest completed one))`. They
/// go back to the queue, and their workers are looked at.
public record LateShards(StallSettings settings) {

  /// A shard that a worker has.
  ///
  /// @param sinceMillis since when
  public record Lease(long shard, WorkerId worker, long sinceMillis) {}

  /// For how long a shard may be out.
  ///
  /// @param slowestCompletedMillis the longest that a completed shard was out; 0 where none is
  public long longestMillis(long slowestCompletedMillis) {
    double longest =
        Math.max(
            settings.lateShardMillis(),
            settings.lateShardFactor() * Math.max(0, slowestCompletedMillis));
    return (long) Math.min(longest, Long.MAX_VALUE);
  }

  /// The late ones, in the order of `leases`. A lease of the future is not late.
  public List<Lease> late(List<Lease> leases, long slowestCompletedMillis, long nowMillis) {
    long longest = longestMillis(slowestCompletedMillis);
    return leases.stream().filter(lease -> nowMillis - lease.sinceMillis() > longest).toList();
  }
}
