package dev.pliant.machine.shards;

/// What a worker says became of a shard it had leased.
public record ShardReport(long number, long lease, Fate fate, String cause) {
  public enum Fate {
    DONE,
    FAILED,
    RETURNED
  }

  /// What the master makes of it.
  public enum Outcome {
    DONE,
    REQUEUED,
    REPEATED,
    REFUSED,
    DATASET_FAILED
  }
}
