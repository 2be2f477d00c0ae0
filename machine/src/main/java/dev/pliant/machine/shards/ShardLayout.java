package dev.pliant.machine.shards;

import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.Permutation;
import java.util.function.LongConsumer;

/// Where the shards (or steps) of a dataset with a fixed size lie: which records the one of a given
/// number has. Computed, never stored. Safe for use by several threads.
public final class ShardLayout {
  private final DatasetSpec spec;
  private final long perEpoch;
  private volatile EpochOrder order;

  /// The orders of one epoch.
  private record EpochOrder(long epoch, Permutation shards, Permutation records) {}

  public ShardLayout(DatasetSpec spec) {
    if (spec.source() instanceof Source.Stream) {
      throw new IllegalArgumentException("a stream has no fixed layout: " + spec.name());
    }
    this.spec = spec;
    this.perEpoch = spec.partsPerEpoch();
    this.order = order(0);
  }

  public long epoch(long number) {
    return number / perEpoch;
  }

  /// How many records the shard has.
  public long length(long number) {
    long index = number % perEpoch;
    long place = spec.shuffle() == Shuffle.SHARDS ? orderOf(epoch(number)).shards.at(index) : index;
    return Math.min(spec.size(), (place + 1) * spec.partSize()) - place * spec.partSize();
  }

  /// How many records all shards before `number` have.
  public long recordsBefore(long number) {
    long epoch = epoch(number);
    long index = number % perEpoch;
    if (index == 0) {
      return epoch * spec.size();
    }
    long missing = perEpoch * spec.partSize() - spec.size();
    long shortOne = numberOf(epoch, spec.size() - 1) % perEpoch;
    if (spec.shuffle() == Shuffle.RECORDS) {
      shortOne = perEpoch - 1;
    }
    return epoch * spec.size() + index * spec.partSize() - (shortOne < index ? missing : 0);
  }

  /// The first position of the shard in its epoch; records follow one by one, unless they are
  /// shuffled themselves.
  public long start(long number) {
    long index = number % perEpoch;
    long place = spec.shuffle() == Shuffle.SHARDS ? orderOf(epoch(number)).shards.at(index) : index;
    return place * spec.partSize();
  }

  /// The shard's records, in training order.
  public void forEachRecord(long number, LongConsumer each) {
    long start = start(number);
    long end = Math.min(spec.size(), start + spec.partSize());
    boolean shuffled = spec.shuffle() == Shuffle.RECORDS;
    Permutation records = orderOf(epoch(number)).records;
    for (long position = start; position < end; position++) {
      each.accept(shuffled ? records.at(position) : position);
    }
  }

  /// The number of the shard that has the record in an epoch.
  public long numberOf(long epoch, long record) {
    EpochOrder ofEpoch = orderOf(epoch);
    return epoch * perEpoch
        + switch (spec.shuffle()) {
          case NONE -> record / spec.partSize();
          case SHARDS -> ofEpoch.shards.positionOf(record / spec.partSize());
          case RECORDS -> ofEpoch.records.positionOf(record) / spec.partSize();
        };
  }

  private EpochOrder orderOf(long epoch) {
    EpochOrder current = order;
    if (current.epoch != epoch) {
      current = order(epoch);
      order = current;
    }
    return current;
  }

  private EpochOrder order(long epoch) {
    return new EpochOrder(
        epoch,
        new Permutation(perEpoch, spec.seed(), epoch),
        new Permutation(spec.size(), spec.seed(), epoch));
  }
}
