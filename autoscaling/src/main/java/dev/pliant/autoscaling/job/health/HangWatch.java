package dev.pliant.autoscaling.job.health;

import dev.pliant.autoscaling.job.AutoScalingSettings.StallSettings;
import dev.pliant.autoscaling.job.JobStatistics;
import dev.pliant.autoscaling.job.NodeUsage;
import dev.pliant.autoscaling.job.UsageRecord;

/// A job hangs when all its nodes use less than 5 % of their CPU, and no step and no shard was
/// completed for the configured time.
public record HangWatch(StallSettings settings) {

  /// Whether the job hangs.
  public sealed interface Finding {
    /// @param sinceMillis when it last made progress
    record Hangs(long sinceMillis, int nodes) implements Finding {}

    record DoesNotHang(Reason reason) implements Finding {}
  }

  /// Why a job does not hang.
  public enum Reason {
    /// It made progress not long ago.
    PROGRESS,
    /// Nodes use their CPU.
    NODES_WORK,
    /// No node was measured since the last progress, or not all values can be.
    NOT_MEASURED
  }

  /// @param progressMillis when a step or shard was last completed, or the job began to train
  public Finding find(JobStatistics statistics, long progressMillis, long nowMillis) {
    if (nowMillis - progressMillis < settings.hangMillis()) {
      return new Finding.DoesNotHang(Reason.PROGRESS);
    }
    int nodes = 0;
    for (UsageRecord record : statistics.usage()) {
      if (record.atMillis() <= progressMillis || record.atMillis() > nowMillis) {
        continue;
      }
      nodes = record.nodes().size();
      for (NodeUsage node : record.nodes()) {
        if (!node.isUsable()) {
          return new Finding.DoesNotHang(Reason.NOT_MEASURED);
        }
        if (!isIdle(node)) {
          return new Finding.DoesNotHang(Reason.NODES_WORK);
        }
      }
    }
    return nodes == 0
        ? new Finding.DoesNotHang(Reason.NOT_MEASURED)
        : new Finding.Hangs(progressMillis, nodes);
  }

  /// A node without a bound is measured against one core.
  private boolean isIdle(NodeUsage node) {
    double cores = node.configured().cpu() > 0 ? node.configured().cpu() : 1;
    return node.cpu() < settings.idleShare() * cores;
  }
}
