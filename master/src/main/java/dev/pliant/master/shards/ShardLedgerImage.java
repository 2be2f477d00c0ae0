package dev.pliant.master.shards;

import dev.pliant.model.DatasetSpec.Partition;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/// A [ShardLedger] as a value: what a snapshot and a checkpoint hold.
///
/// @param done pairs: the gap since the range before, and the range's length
/// @param stream where the dataset is a stream
@SuppressWarnings("ArrayRecordComponent") // Shared with nobody who writes to them.
public record ShardLedgerImage(
    long cursor,
    long[] done,
    long[] requeued,
    List<Out> out,
    Map<Long, Integer> attempts,
    Map<Long, Integer> failures,
    long recordsDone,
    long slowestMillis,
    @Nullable Failure failure,
    @Nullable Stream stream) {

  /// A shard that is out.
  public record Out(long number, int worker, long sinceMillis) {}

  /// The partitions, each with the next offset to cut as its start, and the ranges of the shards
  /// that are not done.
  public record Stream(
      List<Partition> cutUpTo, boolean closed, int turn, Map<Long, StreamRange> ranges) {
    public Stream {
      cutUpTo = List.copyOf(cutUpTo);
      ranges = Map.copyOf(ranges);
    }
  }

  public ShardLedgerImage {
    out = List.copyOf(out);
    attempts = Map.copyOf(attempts);
    failures = Map.copyOf(failures);
  }

  /// The same ledger with nothing out: what restoring a checkpoint brings back. Leases of the
  /// lineage before count no more, so neither do their numbers.
  public ShardLedgerImage withoutLeases() {
    long[] waiting =
        LongStream.concat(Arrays.stream(requeued), out.stream().mapToLong(Out::number))
            .sorted()
            .toArray();
    return new ShardLedgerImage(
        cursor,
        done,
        waiting,
        List.of(),
        Map.of(),
        failures,
        recordsDone,
        slowestMillis,
        failure,
        stream);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof ShardLedgerImage that
        && cursor == that.cursor
        && Arrays.equals(done, that.done)
        && Arrays.equals(requeued, that.requeued)
        && out.equals(that.out)
        && attempts.equals(that.attempts)
        && failures.equals(that.failures)
        && recordsDone == that.recordsDone
        && slowestMillis == that.slowestMillis
        && java.util.Objects.equals(failure, that.failure)
        && java.util.Objects.equals(stream, that.stream);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(done) * 31 + Long.hashCode(cursor);
  }

  @Override
  public String toString() {
    return "cursor %d, done %s, requeued %s, out %s, attempts %s, failures %s, %d records, slowest %d ms, %s, %s"
        .formatted(
            cursor,
            Arrays.toString(done),
            Arrays.toString(requeued),
            out,
            new TreeMap<>(attempts),
            new TreeMap<>(failures),
            recordsDone,
            slowestMillis,
            failure,
            stream);
  }
}
