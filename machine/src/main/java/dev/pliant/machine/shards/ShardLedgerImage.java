package dev.pliant.machine.shards;

import dev.pliant.model.DatasetSpec;
import java.util.Arrays;
import java.util.LinkedHashMap;
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
    long slowestMillis,
    @Nullable Failure failure,
    @Nullable Stream stream) {

  /// How far apart shards may be done out of order.
  private static final long MAX_WINDOW = 1L << 31;

  /// How many shards may wait in a ledger that is given short.
  public static final int MAX_WAITING = 1 << 24;

  /// A shard that is out.
  public record Out(long number, int worker, long sinceMillis) {}

  /// The partitions and the ranges of the shards that are not done.
  public record Stream(
      List<Cut> partitions, boolean closed, int turn, Map<Long, StreamRange> ranges) {
    public Stream {
      partitions = List.copyOf(partitions);
      ranges = Map.copyOf(ranges);
    }

    /// This stream, known as far as another is.
    Stream knownAsFarAs(Stream other) {
      Map<String, Cut> known = new LinkedHashMap<>();
      partitions.forEach(cut -> known.put(cut.name, cut));
      for (Cut cut : other.partitions) {
        known.merge(
            cut.name,
            new Cut(cut.name, cut.origin, cut.origin, cut.end),
            (mine, theirs) ->
                new Cut(mine.name, mine.origin, mine.next, Math.max(mine.end, theirs.end)));
      }
      return new Stream(List.copyOf(known.values()), closed || other.closed, turn, ranges);
    }
  }

  /// A partition: offsets from `origin` to `next` are cut into shards, those to `end` are there.
  public record Cut(String name, long origin, long next, long end) {}

  public ShardLedgerImage {
    out = List.copyOf(out);
    attempts = Map.copyOf(attempts);
    failures = Map.copyOf(failures);
  }

  /// The same ledger with nothing out: what restoring a checkpoint brings back. Leases of the
  /// lineage before count no more, so neither do their numbers. A stream stays known as far as it
  /// is now.
  public ShardLedgerImage restoredOver(@Nullable Stream now) {
    long[] waiting = notDone();
    return new ShardLedgerImage(
        cursor,
        done,
        waiting,
        List.of(),
        Map.of(),
        failures,
        slowestMillis,
        failure,
        stream == null || now == null ? stream : stream.knownAsFarAs(now));
  }

  /// The same ledger, short: which shards wait follows from which are done. Leases are left out,
  /// for restoring drops them.
  public ShardLedgerImage withoutWaiting() {
    return new ShardLedgerImage(
        cursor, done, new long[0], List.of(), Map.of(), failures, slowestMillis, failure, stream);
  }

  /// The ledger that [#withoutWaiting] made short: every shard before the cursor that is not done
  /// waits.
  ///
  /// @throws IllegalArgumentException where there would be more than [#MAX_WAITING]
  public ShardLedgerImage withWaiting() {
    LongStream.Builder waiting = LongStream.builder();
    long at = 0;
    long count = 0;
    for (int i = 0; i <= done.length; i += 2) {
      long gap = i < done.length ? done[i] : cursor - at;
      count += gap;
      if (gap < 0 || gap > MAX_WAITING || count > MAX_WAITING) {
        throw new IllegalArgumentException(
            "of %d shards handed out it has too few done".formatted(cursor));
      }
      LongStream.range(at, at + gap).forEach(waiting);
      at += gap + (i + 1 < done.length ? done[i + 1] : 0);
    }
    return new ShardLedgerImage(
        cursor,
        done,
        waiting.build().toArray(),
        List.of(),
        Map.of(),
        failures,
        slowestMillis,
        failure,
        stream);
  }

  /// Says why the ledger of a dataset cannot be this; nothing where it can. Every shard before the
  /// cursor must be in exactly one place.
  public String troubleWith(DatasetSpec spec) {
    if (cursor < 0 || cursor > spec.parts() || done.length % 2 != 0) {
      return "its cursor is %d of %d".formatted(cursor, spec.parts());
    }
    if ((stream != null) != (spec.source() instanceof DatasetSpec.Source.Stream)) {
      return "only a stream has partitions";
    }
    TreeMap<Long, Long> ranges = new TreeMap<>();
    long at = 0;
    long count = 0;
    for (int i = 0; i < done.length; i += 2) {
      if (done[i] < 0 || done[i + 1] < 1 || done[i] > cursor || done[i + 1] > cursor) {
        return "its ranges of done shards mean nothing";
      }
      at += done[i];
      ranges.put(at, at + done[i + 1]);
      at += done[i + 1];
      count += done[i + 1];
      if (at > cursor) {
        return "shards are done that were never handed out";
      }
    }
    if (done.length > 2 && at - done[1] > MAX_WINDOW) {
      return "too much is done out of order";
    }
    long[] others = notDone();
    for (int i = 0; i < others.length; i++) {
      Map.Entry<Long, Long> range = ranges.floorEntry(others[i]);
      boolean twice = i > 0 && others[i] == others[i - 1];
      if (twice || others[i] < 0 || others[i] >= cursor) {
        return "shard %d is in two places, or in none".formatted(others[i]);
      }
      if (range != null && others[i] < range.getValue()) {
        return "shard %d is done and not done".formatted(others[i]);
      }
    }
    if (count + others.length != cursor) {
      return "of %d shards handed out it knows %d".formatted(cursor, count + others.length);
    }
    return stream == null ? "" : troubleWith(stream, others);
  }

  /// Numbers of the shards that are handed out and not done, sorted.
  private long[] notDone() {
    return LongStream.concat(Arrays.stream(requeued), out.stream().mapToLong(Out::number))
        .sorted()
        .toArray();
  }

  private static String troubleWith(Stream stream, long[] notDone) {
    for (Cut cut : stream.partitions) {
      if (cut.origin < 0 || cut.next < cut.origin || cut.end < cut.next) {
        return "partition '%s' is cut beyond its end".formatted(cut.name);
      }
    }
    if (stream.turn < 0 || stream.turn > Math.max(0, stream.partitions.size() - 1)) {
      return "it is the turn of no partition";
    }
    for (long number : notDone) {
      StreamRange range = stream.ranges.get(number);
      if (range == null
          || range.partition() >= stream.partitions.size()
          || range.start() < stream.partitions.get(range.partition()).origin
          || range.end() > stream.partitions.get(range.partition()).next) {
        return "shard %d lies nowhere".formatted(number);
      }
    }
    return stream.ranges.size() == notDone.length ? "" : "it has ranges of no shard";
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
    return "cursor %d, done %s, requeued %s, out %s, attempts %s, failures %s, slowest %d ms, %s, %s"
        .formatted(
            cursor,
            Arrays.toString(done),
            Arrays.toString(requeued),
            out,
            new TreeMap<>(attempts),
            new TreeMap<>(failures),
            slowestMillis,
            failure,
            stream);
  }
}
