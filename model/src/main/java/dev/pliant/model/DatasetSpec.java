package dev.pliant.model;

import static dev.pliant.model.ErrorCode.BAD_DATASET_SIZE;
import static dev.pliant.model.ErrorCode.BAD_EPOCHS;
import static dev.pliant.model.ErrorCode.BAD_PARTITION;
import static dev.pliant.model.ErrorCode.BAD_RETRIES;
import static dev.pliant.model.ErrorCode.BAD_SHARD_SIZE;
import static dev.pliant.model.ErrorCode.BAD_SHUFFLE;
import static dev.pliant.model.ErrorCode.TOO_MANY;
import static dev.pliant.model.ErrorCode.WRONG_CONSUMPTION;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// A dataset: where its records are, how they are consumed, how often and in which order. A value
/// of this type is always one that can be trained.
public record DatasetSpec(
    DatasetName name,
    Source source,
    Consumption consumption,
    long epochs,
    Shuffle shuffle,
    long seed) {

  /// Retries of a shard where the user says nothing.
  public static final int DEFAULT_RETRIES = 3;

  public static final int MAX_RETRIES = 100;
  public static final int MAX_PARTITIONS = 4_096;

  /// So that the records of all partitions can be counted together.
  public static final long MAX_OFFSET = 1L << 50;

  /// Records over all epochs; shards are numbered by one number, with room to reckon ahead.
  public static final long MAX_RECORDS = 1L << 60;

  /// A text shard lists its records one by one, so it has to fit into a message.
  public static final long MAX_TEXT_SHARD = 65_536;

  /// Where the records are.
  public sealed interface Source {
    /// Rows 0 to size − 1; a shard is a range.
    record Table(long size) implements Source {
      public Table {
        checkSize(size);
      }
    }

    /// Records 0 to size − 1; a shard lists its records, which may be shuffled one by one.
    record Text(long size) implements Source {
      public Text {
        checkSize(size);
      }
    }

    /// Partitions whose offsets grow without end.
    record Stream(List<Partition> partitions) implements Source {
      public Stream {
        partitions = List.copyOf(partitions);
        checkPartitions(partitions);
      }
    }
  }

  /// A partition of a stream: offsets from `start` are to be trained, those before `end` are there.
  public record Partition(String name, long start, long end) {
    public Partition {
      Names.check("a partition", name);
      if (start < 0 || end < start || end > MAX_OFFSET) {
        throw new PliantException(
            BAD_PARTITION,
            "partition '%s' goes from offset %,d to %,d; it must start at 0 or later, not end before it starts, and end at 2^50 or earlier."
                .formatted(name, start, end));
      }
    }
  }

  /// How the records are consumed.
  public sealed interface Consumption {
    /// Leased shard by shard, by each worker at its own speed.
    record Shards(long shardSize, int maxRetries) implements Consumption {}

    /// Committed step by step, in order: a step is a global batch.
    record Steps(long batchSize) implements Consumption {}
  }

  /// What is put in random order, anew in every epoch.
  public enum Shuffle {
    NONE,
    SHARDS,
    RECORDS
  }

  public DatasetSpec {
    switch (consumption) {
      case Consumption.Shards(long shardSize, int maxRetries) -> {
        checkPart("a shard", shardSize, name, source);
        if (source instanceof Source.Text && shardSize > MAX_TEXT_SHARD) {
          throw new PliantException(
              BAD_SHARD_SIZE,
              "a shard of text dataset '%s' would list %,d records, at most %,d fit into a message; choose smaller shards."
                  .formatted(name, shardSize, MAX_TEXT_SHARD));
        }
        if (maxRetries < 0 || maxRetries > MAX_RETRIES) {
          throw new PliantException(
              BAD_RETRIES,
              "dataset '%s' asks for %d retries of a shard; 0 to %d are allowed."
                  .formatted(name, maxRetries, MAX_RETRIES));
        }
      }
      case Consumption.Steps(long batchSize) -> {
        checkPart("a batch", batchSize, name, source);
        if (source instanceof Source.Stream) {
          throw new PliantException(
              WRONG_CONSUMPTION,
              "dataset '%s' is a stream, which has no fixed order of steps; consume it by shards."
                  .formatted(name));
        }
      }
    }
    if (epochs < 1) {
      throw new PliantException(
          BAD_EPOCHS,
          "dataset '%s' asks for %,d epochs; at least 1 is needed.".formatted(name, epochs));
    }
    if (source instanceof Source.Stream && epochs != 1) {
      throw new PliantException(
          BAD_EPOCHS,
          "dataset '%s' is a stream and asks for %,d epochs; a stream has just 1."
              .formatted(name, epochs));
    }
    checkShuffle(name, source, consumption, shuffle);
    checkCount(name, source, consumption, epochs);
  }

  /// Records in one epoch; 0 for a stream, which has no fixed number.
  public long size() {
    return switch (source) {
      case Source.Table(long size) -> size;
      case Source.Text(long size) -> size;
      case Source.Stream _ -> 0;
    };
  }

  /// Records in a shard or in a step's batch, the last one of an epoch aside.
  public long partSize() {
    return switch (consumption) {
      case Consumption.Shards(long shardSize, int _) -> shardSize;
      case Consumption.Steps(long batchSize) -> batchSize;
    };
  }

  /// Shards or steps in one epoch; 0 for a stream.
  public long partsPerEpoch() {
    return Math.ceilDiv(size(), partSize());
  }

  /// Shards or steps in all epochs; [Long#MAX_VALUE] for a stream.
  public long parts() {
    return source instanceof Source.Stream ? Long.MAX_VALUE : partsPerEpoch() * epochs;
  }

  /// Says in which of its parameters `other` differs, or nothing where it does not.
  public String differenceTo(DatasetSpec other) {
    StringBuilder difference = new StringBuilder();
    compare(difference, "source", source, other.source);
    compare(difference, "consumption", consumption, other.consumption);
    compare(difference, "epochs", epochs, other.epochs);
    compare(difference, "shuffle", shuffle, other.shuffle);
    compare(difference, "seed", seed, other.seed);
    return difference.toString();
  }

  private static void compare(StringBuilder difference, String field, Object mine, Object theirs) {
    if (!mine.equals(theirs)) {
      difference
          .append(difference.isEmpty() ? "" : "; ")
          .append(field)
          .append(' ')
          .append(mine)
          .append(", not ")
          .append(theirs);
    }
  }

  private static void checkSize(long size) {
    if (size < 1) {
      throw new PliantException(
          BAD_DATASET_SIZE, "a dataset has %,d records; it needs at least 1.".formatted(size));
    }
  }

  /// Refuses a list of partitions that is too long or names one twice.
  public static void checkPartitions(List<Partition> partitions) {
    if (partitions.size() > MAX_PARTITIONS) {
      throw new PliantException(
          TOO_MANY,
          "%,d partitions were given, at most %,d are allowed at once."
              .formatted(partitions.size(), MAX_PARTITIONS));
    }
    Set<String> names = new HashSet<>();
    for (Partition partition : partitions) {
      if (!names.add(partition.name())) {
        throw new PliantException(
            BAD_PARTITION, "partition '%s' is given twice.".formatted(partition.name()));
      }
    }
  }

  private static void checkPart(String what, long part, DatasetName name, Source source) {
    if (part < 1) {
      throw new PliantException(
          BAD_SHARD_SIZE,
          "%s of dataset '%s' has %,d records; it needs at least 1.".formatted(what, name, part));
    }
    long size =
        switch (source) {
          case Source.Table(long records) -> records;
          case Source.Text(long records) -> records;
          case Source.Stream _ -> Long.MAX_VALUE;
        };
    if (part > size) {
      throw new PliantException(
          BAD_SHARD_SIZE,
          "%s of dataset '%s' has %,d records, more than the %,d of the dataset; choose a smaller one."
              .formatted(what, name, part, size));
    }
  }

  private static void checkShuffle(
      DatasetName name, Source source, Consumption consumption, Shuffle shuffle) {
    String trouble =
        switch (shuffle) {
          case NONE -> "";
          case SHARDS ->
              source instanceof Source.Stream
                  ? "a stream is read in its own order; shuffle nothing."
                  : consumption instanceof Consumption.Steps
                      ? "a dataset consumed by steps has no shards; shuffle records or nothing."
                      : "";
          case RECORDS ->
              source instanceof Source.Stream
                  ? "a stream is read in its own order; shuffle nothing."
                  : source instanceof Source.Table && consumption instanceof Consumption.Shards
                      ? "a shard of a table is a range of rows; shuffle shards, or make it a text dataset."
                      : "";
        };
    if (!trouble.isEmpty()) {
      throw new PliantException(
          BAD_SHUFFLE,
          "dataset '%s' cannot shuffle %s: %s"
              .formatted(name, shuffle.name().toLowerCase(java.util.Locale.ROOT), trouble));
    }
  }

  /// Shards are numbered over all epochs with one number, so there may not be more than it can
  /// count.
  private static void checkCount(
      DatasetName name, Source source, Consumption consumption, long epochs) {
    long size =
        switch (source) {
          case Source.Table(long records) -> records;
          case Source.Text(long records) -> records;
          case Source.Stream _ -> 0;
        };
    long part =
        switch (consumption) {
          case Consumption.Shards(long shardSize, int _) -> shardSize;
          case Consumption.Steps(long batchSize) -> batchSize;
        };
    if (size > MAX_RECORDS || part > MAX_RECORDS || (size > 0 && epochs > MAX_RECORDS / size)) {
      throw new PliantException(
          BAD_EPOCHS,
          "dataset '%s' would train %,d records %,d times, more than can be counted (2^60); train fewer epochs."
              .formatted(name, size, epochs));
    }
  }
}
