package dev.pliant.autoscaling.job.health;

import dev.pliant.autoscaling.job.AutoScalingSettings.BatchSettings;
import dev.pliant.autoscaling.job.JobStatistics;
import dev.pliant.autoscaling.job.ModelFacts;
import dev.pliant.autoscaling.job.NodeUsage;
import dev.pliant.autoscaling.job.UsageRecord;
import org.jspecify.annotations.Nullable;

/// Suggests a batch that uses the memory that accelerators have left. With the least free memory
/// above 2400 MiB: `act = (34·b·s·h + 5·b·s²·heads)·layers / 2^20`, `b' = ⌊b + b·free/act⌋`, and
/// learning rate and weight decay times `√(b'/b)`. Nothing changes by itself: the script asks.
public record BatchTuner(BatchSettings settings) {
  private static final double MIB = 1 << 20;

  /// What is suggested.
  public sealed interface Suggestion {
    /// @param factor what learning rate and weight decay are multiplied with
    record LargerBatch(long batchSize, double factor, double freeMib, double activationsMib)
        implements Suggestion {}

    record NoChange(Reason reason) implements Suggestion {}
  }

  /// Why the batch stays as it is.
  public enum Reason {
    /// No node has said how much memory its accelerator has left.
    NO_ACCELERATOR_MEASURED,
    /// The script has not described its model as a transformer.
    MODEL_UNKNOWN,
    /// The least free memory is too little.
    TOO_LITTLE_FREE_MEMORY,
    /// What is free does not hold one more record, or the dataset has no more.
    NO_LARGER_BATCH
  }

  /// Reads the newest record that is not of the future.
  public Suggestion suggest(JobStatistics statistics, long nowMillis) {
    double free = leastFreeMib(statistics, nowMillis);
    ModelFacts model = statistics.model();
    if (Double.isNaN(free)) {
      return new Suggestion.NoChange(Reason.NO_ACCELERATOR_MEASURED);
    }
    if (!model.describesTransformer()) {
      return new Suggestion.NoChange(Reason.MODEL_UNKNOWN);
    }
    if (free <= settings.minFreeGpuMemoryMib()) {
      return new Suggestion.NoChange(Reason.TOO_LITTLE_FREE_MEMORY);
    }
    double batch = model.batchSize();
    double activations = activationsMib(model);
    double larger = Math.floor(batch + batch * free / activations);
    if (model.datasetSize() > 0) {
      larger = Math.min(larger, model.datasetSize());
    }
    larger = Math.min(larger, Integer.MAX_VALUE);
    return larger > batch
        ? new Suggestion.LargerBatch((long) larger, Math.sqrt(larger / batch), free, activations)
        : new Suggestion.NoChange(Reason.NO_LARGER_BATCH);
  }

  /// What the activations of one batch take.
  static double activationsMib(ModelFacts model) {
    double b = model.batchSize();
    double s = model.sequenceLength();
    double h = model.hiddenSize();
    return (34 * b * s * h + 5 * b * s * s * model.attentionHeads()) * model.layers() / MIB;
  }

  private static double leastFreeMib(JobStatistics statistics, long nowMillis) {
    UsageRecord newest = newest(statistics, nowMillis);
    double least = Double.NaN;
    if (newest != null) {
      for (NodeUsage node : newest.nodes()) {
        double free = node.freeGpuMemoryMib();
        if (free >= 0 && !Double.isInfinite(free) && !(least <= free)) {
          least = free;
        }
      }
    }
    return least;
  }

  private static @Nullable UsageRecord newest(JobStatistics statistics, long nowMillis) {
    UsageRecord newest = null;
    for (UsageRecord record : statistics.usage()) {
      if (record.atMillis() <= nowMillis
          && (newest == null || record.atMillis() >= newest.atMillis())) {
        newest = record;
      }
    }
    return newest;
  }
}
