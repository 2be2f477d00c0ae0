package dev.pliant.machine.shards;

import dev.pliant.machine.shards.ShardLedgerImage.Cut;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/// The partitions of a streaming dataset: how far each is known and cut into shards, and where the
/// shards that are not yet done lie.
final class StreamLedger {
  /// A partition: offsets before `next` are cut, those before `end` are there.
  private static final class Progress {
    final String name;
    final long origin;
    long next;
    long end;

    Progress(Cut cut) {
      this.name = cut.name();
      this.origin = cut.origin();
      this.next = cut.next();
      this.end = cut.end();
    }
  }

  private final List<Progress> partitions = new ArrayList<>();
  private final Map<String, Integer> places = new LinkedHashMap<>();
  private final TreeMap<Long, StreamRange> ranges = new TreeMap<>();
  private boolean closed;
  private int turn;
  private long waiting;

  StreamLedger(List<Partition> known) {
    known.forEach(p -> add(new Cut(p.name(), p.start(), p.start(), p.end())));
  }

  boolean closed() {
    return closed;
  }

  /// Records that are there and not yet cut.
  long waiting() {
    return waiting;
  }

  String partitionName(int partition) {
    return partitions.get(partition).name;
  }

  /// Where a shard that is not done lies.
  StreamRange range(long number) {
    StreamRange range = ranges.get(number);
    if (range == null) {
      throw new IllegalStateException("shard " + number + " has no range");
    }
    return range;
  }

  /// Cuts up to `count` shards, from the partitions in turn, changing nothing.
  List<StreamRange> cut(int count, long shardSize) {
    List<StreamRange> cut = new ArrayList<>();
    if (waiting == 0) {
      return cut;
    }
    long[] next = partitions.stream().mapToLong(p -> p.next).toArray();
    int at = turn;
    for (int idle = 0; cut.size() < count && idle < next.length; at = (at + 1) % next.length) {
      long end = next[at] + Math.min(partitions.get(at).end - next[at], shardSize);
      if (end > next[at]) {
        cut.add(new StreamRange(at, next[at], end));
        next[at] = end;
        idle = 0;
      } else {
        idle++;
      }
    }
    return cut;
  }

  /// Refuses growth that is none, changing nothing.
  void checkGrowth(List<Partition> grown) {
    long added = grown.stream().filter(p -> !places.containsKey(p.name())).count();
    if (partitions.size() + added > DatasetSpec.MAX_PARTITIONS) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "a stream would have %,d partitions, at most %,d are allowed."
              .formatted(partitions.size() + added, DatasetSpec.MAX_PARTITIONS));
    }
    for (Partition partition : grown) {
      Integer place = places.get(partition.name());
      if (closed && (place == null || partition.end() > partitions.get(place).end)) {
        throw new PliantException(
            ErrorCode.BAD_PARTITION,
            "partition '%s' cannot grow: the stream was closed.".formatted(partition.name()));
      }
    }
  }

  void grow(List<Partition> grown, boolean close) {
    for (Partition partition : grown) {
      Integer place = places.get(partition.name());
      if (place == null) {
        add(new Cut(partition.name(), partition.start(), partition.start(), partition.end()));
      } else {
        // Less than is known is old news, of a producer that was slower or repeats itself.
        Progress known = partitions.get(place);
        long end = Math.max(known.end, partition.end());
        waiting += end - known.end;
        known.end = end;
      }
    }
    closed |= close;
  }

  void cut(long number, StreamRange range) {
    Progress partition = partitions.get(range.partition());
    if (partition.next != range.start() || range.end() > partition.end) {
      throw new IllegalStateException(
          "shard %d is cut at %s, but partition '%s' goes on at %d of %d"
              .formatted(number, range, partition.name, partition.next, partition.end));
    }
    partition.next = range.end();
    waiting -= range.length();
    turn = (range.partition() + 1) % partitions.size();
    ranges.put(number, range);
  }

  void done(long number) {
    ranges.remove(number);
  }

  /// Every partition, `start` being the first offset that is not yet done with all before it.
  List<Partition> committed() {
    long[] first = partitions.stream().mapToLong(p -> p.next).toArray();
    for (StreamRange range : ranges.values()) {
      first[range.partition()] = Math.min(first[range.partition()], range.start());
    }
    List<Partition> listed = new ArrayList<>();
    for (int i = 0; i < first.length; i++) {
      listed.add(new Partition(partitions.get(i).name, first[i], partitions.get(i).end));
    }
    return listed;
  }

  /// Records in all the shards that were ever cut.
  long recordsCut() {
    return partitions.stream().mapToLong(p -> p.next - p.origin).sum();
  }

  ShardLedgerImage.Stream image() {
    return new ShardLedgerImage.Stream(
        partitions.stream().map(p -> new Cut(p.name, p.origin, p.next, p.end)).toList(),
        closed,
        turn,
        ranges);
  }

  static StreamLedger of(ShardLedgerImage.Stream image) {
    StreamLedger ledger = new StreamLedger(List.of());
    image.partitions().forEach(ledger::add);
    ledger.closed = image.closed();
    ledger.turn = image.turn();
    ledger.ranges.putAll(image.ranges());
    return ledger;
  }

  private void add(Cut cut) {
    places.put(cut.name(), partitions.size());
    partitions.add(new Progress(cut));
    waiting += cut.end() - cut.next();
  }
}
