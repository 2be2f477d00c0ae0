package dev.pliant.master.verify;

import dev.pliant.machine.Event;
import dev.pliant.machine.LedgerImage;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.ShardLayout;
import dev.pliant.machine.shards.ShardLedgerImage;
import dev.pliant.machine.shards.StreamRange;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Source;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Counts one dataset's completions from the events about it.
final class DatasetCount {
  private final DatasetSpec spec;
  private final @Nullable ShardLayout layout;
  private ShardFates fates = new ShardFates();
  private Beginning beginning = new Beginning(0);
  private final Map<Long, Taken> taken = new HashMap<>();

  /// For a stream: how far each partition is known and cut.
  private final Map<String, long[]> partitions = new LinkedHashMap<>();

  private final List<String> names = new ArrayList<>();
  private boolean closed;
  private @Nullable Failure failure;

  DatasetCount(DatasetSpec spec) {
    this.spec = spec;
    if (spec.source() instanceof Source.Stream(List<Partition> known)) {
      layout = null;
      grow(known);
    } else {
      layout = new ShardLayout(spec);
    }
  }

  DatasetSpec spec() {
    return spec;
  }

  @Nullable ShardLayout layout() {
    return layout;
  }

  String partitionName(int place) {
    return names.get(place);
  }

  // Events.

  void leased(Event.ShardsLeased e) {
    for (long number : e.again()) {
      fates.leased(number);
    }
    for (int i = 0; i < e.fresh(); i++) {
      long number = e.freshFrom() + i;
      fates.leased(number);
      if (layout == null) {
        StreamRange range = e.ranges().get(i);
        beginning.ranges.put(number, range);
        partition(range.partition())[0] = range.end();
      }
    }
  }

  void done(long[] numbers) {
    for (long number : numbers) {
      fates.done(number);
    }
  }

  void requeued(long[] numbers) {
    for (long number : numbers) {
      fates.requeued(number);
    }
  }

  void committed(Event.StepCommitted e) {
    long last = e.epoch() * spec.partsPerEpoch() + e.step();
    for (long step = last - e.count() + 1; step <= last; step++) {
      fates.done(step);
    }
  }

  void failed(Failure why) {
    failure = why;
  }

  void grown(List<Partition> grown, boolean close) {
    grow(grown);
    closed |= close;
  }

  private void grow(List<Partition> grown) {
    for (Partition p : grown) {
      long[] known = partitions.get(p.name());
      if (known == null) {
        partitions.put(p.name(), new long[] {p.start(), p.end()});
        names.add(p.name());
      } else {
        known[1] = Math.max(known[1], p.end());
      }
    }
  }

  /// A checkpoint of this journal.
  void taken(long number) {
    taken.put(number, new Taken(beginning, fates.end(), fates.doneCount(), cutsOf(names)));
  }

  /// Goes back to what a checkpoint holds: one of this journal, or one that was kept elsewhere, of
  /// whose records this journal has no more than the ledger's word.
  ///
  /// @param takenOver whether it is of another job
  void restored(long checkpoint, LedgerImage image, boolean takenOver) {
    ShardFates back = new ShardFates();
    switch (image) {
      case LedgerImage.Steps(var _, var steps) -> {
        for (long n = 0; n < steps.epoch() * spec.partsPerEpoch() + steps.step(); n++) {
          back.done(n);
        }
      }
      case LedgerImage.Shards(var _, ShardLedgerImage shards) -> {
        long at = 0;
        for (int i = 0; i < shards.done().length; i += 2) {
          at += shards.done()[i];
          for (long end = at + shards.done()[i + 1]; at < end; at++) {
            back.done(at);
          }
        }
        for (long number : shards.requeued()) {
          back.requeued(number);
        }
        failure = shards.failure();
        restoreStream(shards.stream());
      }
    }
    fates = back;
    beginning = beginningOf(takenOver ? null : taken.get(checkpoint), image);
  }

  private void restoreStream(ShardLedgerImage.@Nullable Stream stream) {
    if (stream != null) {
      partitions.clear();
      stream.partitions().forEach(p -> partitions.put(p.name(), new long[] {p.next(), p.end()}));
      names.clear();
      names.addAll(partitions.keySet());
      closed = stream.closed();
    }
  }

  // Where counting began.

  /// What is known of records that were completed before this journal began: how many there are, by
  /// the word of the ledger that brought them. Of a stream, also where the shards lie that were cut
  /// since: earlier ones are nobody's any more.
  private static final class Beginning {
    final long records;
    final TreeMap<Long, StreamRange> ranges = new TreeMap<>();

    Beginning(long records) {
      this.records = records;
    }
  }

  /// A checkpoint of this journal, by what tells it from one that only has the same number.
  ///
  /// @param cuts how far each partition of a stream was cut
  private record Taken(Beginning beginning, long end, long done, Map<String, Long> cuts) {}

  /// @param own what this journal knows of a checkpoint of that number, or null
  private Beginning beginningOf(@Nullable Taken own, LedgerImage image) {
    ShardLedgerImage.@Nullable Stream stream =
        image instanceof LedgerImage.Shards(var _, ShardLedgerImage shards)
            ? shards.stream()
            : null;
    if (own != null
        && own.end == fates.end()
        && own.done == fates.doneCount()
        && own.cuts.equals(cutsOf(own.cuts.keySet()))) {
      return own.beginning;
    }
    Beginning other = new Beginning(stream == null ? lengthDone() : lengthDone(stream));
    if (stream != null) {
      other.ranges.putAll(stream.ranges());
    }
    return other;
  }

  private Map<String, Long> cutsOf(Collection<String> those) {
    Map<String, Long> cuts = new HashMap<>();
    partitions.forEach((name, cut) -> {
      if (those.contains(name)) {
        cuts.put(name, cut[0]);
      }
    });
    return cuts;
  }

  private long lengthDone() {
    long done = 0;
    for (long number = 0; number < fates.end(); number++) {
      done += fates.completions(number) > 0 ? length(number) : 0;
    }
    return done;
  }

  private static long lengthDone(ShardLedgerImage.Stream stream) {
    return stream.partitions().stream().mapToLong(p -> p.next() - p.origin()).sum()
        - stream.ranges().values().stream().mapToLong(StreamRange::length).sum();
  }

  // The result.

  Verification.Dataset result() {
    long done = lengthDone() + (layout == null ? beginning.records : 0);
    long out = 0;
    long queued = 0;
    long firstMissing = -1;
    for (long number = 0; number < fates.end(); number++) {
      long length = length(number);
      out += fates.isOut(number) ? length : 0;
      queued += fates.isQueued(number) ? length : 0;
      if (firstMissing < 0 && fates.completions(number) == 0) {
        firstMissing = number;
      }
    }
    long next = firstMissing < 0 ? fates.end() : firstMissing;
    long waiting = layout == null ? queued + uncut() : spec.size() * spec.epochs() - done - out;
    List<Verification.Fault> faults = new ArrayList<>();
    long[] count = {0};
    fates.forEachFault(number -> {
      if (count[0]++ < Verification.Dataset.MAX_FAULTS) {
        faults.add(
            new Verification.Fault(records(number), epoch(number), fates.completions(number)));
      }
    });
    return new Verification.Dataset(
        spec,
        done,
        beginning.records,
        out,
        waiting,
        layout == null ? 0 : layout.epoch(next),
        waiting == 0 && out == 0 && (layout != null || closed),
        faults,
        count[0],
        failure == null
            ? ""
            : "shard %d failed with worker %s: %s"
                .formatted(failure.shard(), failure.worker(), failure.cause()));
  }

  private long uncut() {
    return partitions.values().stream().mapToLong(p -> p[1] - p[0]).sum();
  }

  private long length(long number) {
    if (layout != null) {
      return layout.length(number);
    }
    StreamRange range = beginning.ranges.get(number);
    return range == null ? 0 : range.length();
  }

  private long epoch(long number) {
    return layout == null ? 0 : layout.epoch(number);
  }

  private String records(long number) {
    StreamRange range = beginning.ranges.get(number);
    if (range != null) {
      return "offsets %d to %d of partition %s"
          .formatted(range.start(), range.end() - 1, partitionName(range.partition()));
    }
    if (layout == null) {
      return "shard " + number;
    }
    if (spec.shuffle() == DatasetSpec.Shuffle.RECORDS) {
      return "shard %d: %d shuffled records".formatted(number, layout.length(number));
    }
    long start = layout.start(number);
    return "records %d to %d".formatted(start, start + layout.length(number) - 1);
  }

  private long[] partition(int place) {
    return java.util.Objects.requireNonNull(partitions.get(partitionName(place)));
  }
}
