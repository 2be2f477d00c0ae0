package dev.pliant.machine.shards;

/// Where a shard of a streaming dataset lies.
///
/// @param partition the partition's place in the order of their becoming known
public record StreamRange(int partition, long start, long end) {
  public StreamRange {
    if (partition < 0 || start < 0 || end <= start) {
      throw new IllegalArgumentException(
          "no range: partition " + partition + ", offsets " + start + " to " + end);
    }
  }

  public long length() {
    return end - start;
  }
}
