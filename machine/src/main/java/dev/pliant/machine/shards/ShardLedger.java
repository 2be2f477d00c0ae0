package dev.pliant.machine.shards;

import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Source;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// What became of the shards of one dataset. A shard that was never handed out is not stored:
/// shards are numbered over all epochs, and everything from `cursor` on is still to come. It costs
/// memory for what is out, what is done out of order, and what was handed out more than once.
///
/// Each shard is in exactly one place: to come, requeued, out with a worker, or done. The methods
/// that change it are the events of the journal; [DataShardManager] decides which to record.
public final class ShardLedger {
  private static final long[] NONE = {};

  private final DatasetSpec spec;
  private final @Nullable ShardLayout layout;
  private final @Nullable StreamLedger stream;
  private final long lineage;

  private long cursor;
  private final DoneSet done;
  private final TreeSet<Long> requeued = new TreeSet<>();
  private final LeaseTable out = new LeaseTable();

  /// How often a shard was handed out, for those that were so more than once.
  private final TreeMap<Long, Integer> attempts = new TreeMap<>();

  /// How often a shard failed, for those that did and are not done.
  private final TreeMap<Long, Integer> failures = new TreeMap<>();

  private long recordsDone;
  private long recordsOut;
  private long recordsRequeued;
  private long slowestMillis;
  private @Nullable Failure failure;

  public ShardLedger(DatasetSpec spec, long lineage) {
    this(spec, lineage, new DoneSet(), streamOf(spec));
  }

  private ShardLedger(DatasetSpec spec, long lineage, DoneSet done, @Nullable StreamLedger stream) {
    this.spec = spec;
    this.lineage = lineage;
    this.done = done;
    this.stream = stream;
    this.layout = stream == null ? new ShardLayout(spec) : null;
  }

  private static @Nullable StreamLedger streamOf(DatasetSpec spec) {
    return spec.source() instanceof Source.Stream(List<Partition> partitions)
        ? new StreamLedger(partitions)
        : null;
  }

  // What is known.

  public DatasetSpec spec() {
    return spec;
  }

  /// The number of the next shard that was never handed out.
  public long cursor() {
    return cursor;
  }

  public boolean isDone(long number) {
    return done.contains(number);
  }

  /// Shards done.
  public long doneCount() {
    return done.count();
  }

  public long outCount() {
    return out.size();
  }

  /// The worker that has the shard, or −1.
  public int holder(long number) {
    return out.worker(number);
  }

  /// The lease under which the shard was handed out last: the lineage above, the count below.
  public long lease(long number) {
    return lineage << Integer.SIZE | attempt(number);
  }

  /// How often the shard was handed out; 1 also where it was not yet.
  int attempt(long number) {
    return attempts.getOrDefault(number, 1);
  }

  public long lineage() {
    return lineage;
  }

  public int failures(long number) {
    return failures.getOrDefault(number, 0);
  }

  public @Nullable Failure failure() {
    return failure;
  }

  public long recordsDone() {
    return recordsDone;
  }

  public long recordsOut() {
    return recordsOut;
  }

  /// Records that nobody has and that are still to be trained; of a stream, those that are known.
  public long recordsWaiting() {
    return stream == null
        ? spec.size() * spec.epochs() - recordsDone - recordsOut
        : stream.waiting() + recordsRequeued;
  }

  /// The oldest epoch that is not wholly done.
  public long epoch() {
    return layout == null ? 0 : layout.epoch(done.firstMissing());
  }

  /// The longest that a shard had been out when it was done.
  public long slowestMillis() {
    return slowestMillis;
  }

  /// Whether every record of every epoch is done.
  public boolean isComplete() {
    return stream == null
        ? done.firstMissing() == spec.parts()
        : stream.closed() && stream.waiting() == 0 && requeued.isEmpty() && out.size() == 0;
  }

  public long length(long number) {
    return layout == null ? stream().range(number).length() : layout.length(number);
  }

  /// Where the shards of a dataset with a fixed size lie.
  public @Nullable ShardLayout layout() {
    return layout;
  }

  /// Where a shard of a stream lies, while it is not done.
  public StreamRange range(long number) {
    return stream().range(number);
  }

  public String partitionName(int partition) {
    return stream().partitionName(partition);
  }

  /// A stream's partitions, `start` being the first offset not yet done with all before it.
  public List<Partition> partitions() {
    return stream == null ? List.of() : stream.committed();
  }

  /// Numbers that came back, the first `count` of them.
  long[] firstRequeued(int count) {
    if (requeued.isEmpty()) {
      return NONE;
    }
    return requeued.stream().limit(count).mapToLong(Long::longValue).toArray();
  }

  /// How many shards may be handed out for the first time: at most one epoch is opened ahead of the
  /// oldest that is not done, so that what is done out of order stays bounded.
  long freshLimit() {
    long open = (epoch() + 2) * spec.partsPerEpoch();
    return Math.min(spec.parts(), open) - cursor;
  }

  boolean isStream() {
    return stream != null;
  }

  List<StreamRange> cut(int count) {
    return stream().cut(count, spec.partSize());
  }

  void checkGrowth(List<Partition> partitions) {
    stream().checkGrowth(partitions);
  }

  void forEachOut(LeaseTable.Visitor visitor) {
    out.forEach(visitor);
  }

  // What happens.

  /// Shards were handed out: some that had come back, and fresh ones from the cursor on.
  public void leased(
      int worker,
      long[] again,
      long freshFrom,
      int fresh,
      List<StreamRange> ranges,
      long atMillis) {
    if (freshFrom != cursor) {
      throw new IllegalStateException(
          "dataset '%s': fresh shards from %d, but the next is %d"
              .formatted(spec.name(), freshFrom, cursor));
    }
    for (long number : again) {
      if (!requeued.remove(number)) {
        throw new IllegalStateException(
            "dataset '%s': shard %d is not requeued".formatted(spec.name(), number));
      }
      attempts.merge(number, 2, (times, _) -> times + 1);
      out.put(number, worker, atMillis);
      recordsRequeued -= length(number);
      recordsOut += length(number);
    }
    for (int i = 0; i < fresh; i++) {
      if (stream != null) {
        stream.cut(cursor, ranges.get(i));
      }
      out.put(cursor, worker, atMillis);
      recordsOut += length(cursor);
      cursor++;
    }
  }

  public void done(long number, long atMillis) {
    slowestMillis = Math.max(slowestMillis, atMillis - out.remove(number));
    long length = length(number);
    done.add(number);
    recordsOut -= length;
    recordsDone += length;
    if (!failures.isEmpty()) {
      failures.remove(number);
    }
    if (stream != null) {
      stream.done(number);
    }
  }

  /// A shard went back to the front; `charged` where it used up a retry.
  public void requeued(long number, boolean charged) {
    out.remove(number);
    requeued.add(number);
    recordsOut -= length(number);
    recordsRequeued += length(number);
    if (charged) {
      failures.merge(number, 1, Integer::sum);
    }
  }

  public void failed(Failure why) {
    failure = why;
  }

  public void grown(List<Partition> partitions, boolean closed) {
    stream().grow(partitions, closed);
  }

  // Images.

  /// The whole ledger as a value.
  public ShardLedgerImage image() {
    List<ShardLedgerImage.Out> outs = new ArrayList<>();
    out.forEach(
        (number, worker, since) -> outs.add(new ShardLedgerImage.Out(number, worker, since)));
    return new ShardLedgerImage(
        cursor,
        done.ranges(),
        requeued.stream().mapToLong(Long::longValue).toArray(),
        outs,
        Map.copyOf(attempts),
        Map.copyOf(failures),
        slowestMillis,
        failure,
        stream == null ? null : stream.image());
  }

  /// The ledger that had this image.
  public static ShardLedger of(DatasetSpec spec, long lineage, ShardLedgerImage image) {
    ShardLedgerImage.Stream stream = image.stream();
    ShardLedger ledger =
        new ShardLedger(
            spec,
            lineage,
            DoneSet.ofRanges(image.done()),
            stream == null ? null : StreamLedger.of(stream));
    ledger.cursor = image.cursor();
    ledger.attempts.putAll(image.attempts());
    ledger.failures.putAll(image.failures());
    ledger.slowestMillis = image.slowestMillis();
    ledger.failure = image.failure();
    for (long number : image.requeued()) {
      ledger.requeued.add(number);
      ledger.recordsRequeued += ledger.length(number);
    }
    for (ShardLedgerImage.Out lease : image.out()) {
      ledger.out.put(lease.number(), lease.worker(), lease.sinceMillis());
      ledger.recordsOut += ledger.length(lease.number());
    }
    ledger.recordsDone = ledger.recordsHandedOut() - ledger.recordsRequeued - ledger.recordsOut;
    return ledger;
  }

  /// Records in all the shards before the cursor.
  private long recordsHandedOut() {
    return layout == null ? stream().recordsCut() : layout.recordsBefore(cursor);
  }

  private StreamLedger stream() {
    if (stream == null) {
      throw new IllegalStateException("dataset '" + spec.name() + "' is no stream");
    }
    return stream;
  }
}
