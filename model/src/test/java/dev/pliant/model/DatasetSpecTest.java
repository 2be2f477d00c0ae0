package dev.pliant.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class DatasetSpecTest {
  private static DatasetSpec table(long size, long shardSize, long epochs) {
    return new DatasetSpec(
        new DatasetName("train"),
        new Source.Table(size),
        new Consumption.Shards(shardSize, 3),
        epochs,
        Shuffle.NONE,
        0);
  }

  private static DatasetSpec any(Source source, Consumption consumption, Shuffle shuffle) {
    return new DatasetSpec(new DatasetName("train"), source, consumption, 1, shuffle, 0);
  }

  record Bad(String what, ErrorCode code, Supplier<?> make, String said) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Bad> bad() {
    Source stream = new Source.Stream(List.of(new Partition("p0", 0, 10)));
    Consumption shards = new Consumption.Shards(5, 3);
    Consumption steps = new Consumption.Steps(5);
    return Stream.of(
        new Bad("no records", ErrorCode.BAD_DATASET_SIZE, () -> table(0, 1, 1), "0 records"),
        new Bad("fewer than none", ErrorCode.BAD_DATASET_SIZE, () -> table(-5, 1, 1), "-5"),
        new Bad("no shard", ErrorCode.BAD_SHARD_SIZE, () -> table(10, 0, 1), "at least 1"),
        new Bad("huge shard", ErrorCode.BAD_SHARD_SIZE, () -> table(10, 11, 1), "more than the 10"),
        new Bad("no epochs", ErrorCode.BAD_EPOCHS, () -> table(10, 1, 0), "at least 1"),
        new Bad("uncountable", ErrorCode.BAD_EPOCHS, () -> table(1L << 62, 1, 4), "2^60"),
        new Bad(
            "long name",
            ErrorCode.BAD_NAME,
            () -> new DatasetName("x".repeat(10_000)),
            "10,000 characters"),
        new Bad("no name", ErrorCode.BAD_NAME, () -> new DatasetName(""), "no name"),
        new Bad("odd name", ErrorCode.BAD_NAME, () -> new DatasetName("a b"), "' ' at position 1"),
        new Bad(
            "stream in epochs",
            ErrorCode.BAD_EPOCHS,
            () -> new DatasetSpec(new DatasetName("s"), stream, shards, 2, Shuffle.NONE, 0),
            "just 1"),
        new Bad(
            "stream by steps",
            ErrorCode.WRONG_CONSUMPTION,
            () -> any(stream, steps, Shuffle.NONE),
            "by shards"),
        new Bad(
            "shuffled stream",
            ErrorCode.BAD_SHUFFLE,
            () -> any(stream, shards, Shuffle.SHARDS),
            "own order"),
        new Bad(
            "table shuffled by record",
            ErrorCode.BAD_SHUFFLE,
            () -> any(new Source.Table(10), shards, Shuffle.RECORDS),
            "range of rows"),
        new Bad(
            "steps shuffled by shard",
            ErrorCode.BAD_SHUFFLE,
            () -> any(new Source.Text(10), steps, Shuffle.SHARDS),
            "no shards"),
        new Bad(
            "too many retries",
            ErrorCode.BAD_RETRIES,
            () -> any(new Source.Table(10), new Consumption.Shards(5, 101), Shuffle.NONE),
            "0 to 100"),
        new Bad(
            "text shard beyond a message",
            ErrorCode.BAD_SHARD_SIZE,
            () -> any(new Source.Text(100_000), new Consumption.Shards(70_000, 3), Shuffle.NONE),
            "message"),
        new Bad(
            "partition twice",
            ErrorCode.BAD_PARTITION,
            () -> new Source.Stream(List.of(new Partition("p", 0, 1), new Partition("p", 0, 2))),
            "twice"),
        new Bad(
            "partition backwards",
            ErrorCode.BAD_PARTITION,
            () -> new Partition("p", 5, 4),
            "not end before"));
  }

  @ParameterizedTest
  @MethodSource
  void bad(Bad bad) {
    assertThatThrownBy(bad.make::get)
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(bad.code))
        .hasMessageContaining(bad.said);
  }

  @Test
  void countsShardsWithTheShortLastOne() {
    DatasetSpec spec = table(1_001, 10, 3);
    assertThat(spec.partsPerEpoch()).isEqualTo(101);
    assertThat(spec.parts()).isEqualTo(303);
  }

  @Test
  void saysInWhichParameterAnotherDiffers() {
    assertThat(table(10, 5, 1).differenceTo(table(10, 5, 2))).isEqualTo("epochs 1, not 2");
    assertThat(table(10, 5, 1).differenceTo(table(10, 5, 1))).isEmpty();
  }
}
