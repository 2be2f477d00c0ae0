package dev.pliant.autoscaling.cluster;

import dev.pliant.model.JobId;
import org.jspecify.annotations.Nullable;

/// A job that shares the cluster. Values are as its user wrote them; a job that cannot be keeps its
/// size, and the others are sized without it.
///
/// @param min the fewest trainers
/// @param max the most trainers. A job is elastic where this is more than `min`
/// @param trainers how many it is to have now; 0 where it has not started
/// @param trainer what one of them needs
/// @param servers its parameter servers, or null where it has none
/// @param changedMillis when its size was last changed; 0 where it never was
public record ClusterJob(
    JobId id,
    int min,
    int max,
    int trainers,
    PodSize trainer,
    @Nullable Servers servers,
    long changedMillis) {

  /// The parameter servers of a job. They follow its trainers where `max` is more than `min`.
  ///
  /// @param now how many it is to have now
  public record Servers(int min, int max, int now, PodSize each) {}

  /// Only elastic jobs are scaled.
  public boolean isElastic() {
    return min < max;
  }

  /// How much of what it can use it has: `(now − min)/(max − min)`, 1 where it is not elastic.
  public static double fulfilment(int now, int min, int max) {
    return min == max ? 1 : (double) (now - min) / (max - min);
  }

  /// The parameter servers for so many trainers: in the ratio of the fewest trainers to the fewest
  /// servers, rounded up.
  public int serversFor(int count) {
    if (servers == null) {
      return 0;
    }
    long wanted = Math.ceilDiv((long) count * servers.min, Math.max(1, min));
    return (int) Math.clamp(wanted, servers.min, servers.max);
  }
}
