package dev.pliant.master.shards;

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
    long next;
    long end;

    Progress(Partition partition) {
      this.name = partition.name();
      this.next = partition.start();
      this.end = partition.end();
    }
  }

  private final List<Progress> partitions = new ArrayList<>();
  private final Map<String, Integer> places = new LinkedHashMap<>();
  private final TreeMap<Long, StreamRange> ranges = new TreeMap<>();
  private boolean closed;
  private int turn;
  private long waiting;

  StreamLedger(List<Partition> known) {
    known.forEach(this::add);
  }

  boolean closed() {
    return closed;
  }

  /// Records that are there and not yet cut.
  long waiting() {
    return waiting;
  }

  int turn() {
    return turn;
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

  TreeMap<Long, StreamRange> ranges() {
    return ranges;
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
      long end = Math.min(partitions.get(at).end, next[at] + shardSize);
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
      if (place != null && partition.end() < partitions.get(place).end) {
        throw new PliantException(
            ErrorCode.BAD_PARTITION,
            "partition '%s' has records up to offset %,d and cannot shrink to %,d."
                .formatted(partition.name(), partitions.get(place).end, partition.end()));
      }
    }
  }

  void grow(List<Partition> grown, boolean close) {
    for (Partition partition : grown) {
      Integer place = places.get(partition.name());
      if (place == null) {
        add(partition);
      } else {
        Progress known = partitions.get(place);
        waiting += partition.end() - known.end;
        known.end = partition.end();
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
    return listed(first);
  }

  /// Every partition, `start` being the next offset to cut.
  List<Partition> cutUpTo() {
    return listed(partitions.stream().mapToLong(p -> p.next).toArray());
  }

  static StreamLedger of(
      List<Partition> cutUpTo, boolean closed, int turn, Map<Long, StreamRange> ranges) {
    StreamLedger ledger = new StreamLedger(cutUpTo);
    ledger.closed = closed;
    ledger.turn = turn;
    ledger.ranges.putAll(ranges);
    return ledger;
  }

  private List<Partition> listed(long[] starts) {
    List<Partition> listed = new ArrayList<>();
    for (int i = 0; i < starts.length; i++) {
      Progress partition = partitions.get(i);
      listed.add(new Partition(partition.name, starts[i], partition.end));
    }
    return listed;
  }

  private void add(Partition partition) {
    places.put(partition.name(), partitions.size());
    partitions.add(new Progress(partition));
    waiting += partition.end() - partition.start();
  }
}
