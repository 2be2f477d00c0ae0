package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import dev.pliant.machine.LedgerImage;
import dev.pliant.machine.shards.ShardLedgerImage;
import dev.pliant.machine.shards.ShardLedgerImage.Out;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CheckpointCodecTest {
  private static final long SHARDS = 1L << 40;
  private static final DatasetSpec SPEC =
      new DatasetSpec(
          new DatasetName("train"),
          new Source.Table(SHARDS),
          new Consumption.Shards(1, 3),
          1,
          Shuffle.NONE,
          0);

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void bringsBackWhatRestoringWouldKeep(long seed) throws InvalidProtocolBufferException {
    ShardLedgerImage ledger = ledger(seed, 1_000, 1 + (int) seed);

    assertThat(roundTrip(ledger)).isEqualTo(ledger.restoredOver(null));
    assertThat(roundTrip(ledger).troubleWith(SPEC)).isEmpty();
  }

  @Test
  void takesAMillionShardsOutOfOrder() throws InvalidProtocolBufferException {
    ShardLedgerImage ledger = ledger(1, 4_000_000, 4);
    assertThat(ledger.requeued().length + ledger.out().size()).isGreaterThan(900_000);

    assertThat(CheckpointCodec.encode(1, images(ledger)).size())
        .isLessThan(CheckpointCodec.MAX_BYTES / 2);
    assertThat(roundTrip(ledger)).isEqualTo(ledger.restoredOver(null));
  }

  @Test
  void givesNobodyALedgerThatCouldNotComeBack() {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(1);
    Map<Long, Integer> failures = new HashMap<>();
    while (failures.size() < 700_000) {
      failures.put(random.nextLong(1L << 62), 1);
    }
    ShardLedgerImage none = ledger(1, 10, 2);
    ShardLedgerImage noise =
        new ShardLedgerImage(
            none.cursor(),
            none.done(),
            none.requeued(),
            none.out(),
            Map.of(),
            failures,
            0,
            null,
            null);

    assertThatThrownBy(() -> CheckpointCodec.encode(7, images(noise)))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_MANY))
        .hasMessageContaining("checkpoint 7 is taken")
        .hasMessageContaining("by its number");
  }

  @Test
  void refusesWhatIsNoLedger() {
    ByteString whole = CheckpointCodec.encode(1, images(ledger(1, 1_000, 3)));

    assertThatThrownBy(() -> CheckpointCodec.decode(whole.substring(0, whole.size() / 2)))
        .hasMessageContaining("cannot be unpacked");
    assertThatThrownBy(() -> CheckpointCodec.decode(whole.substring(0, 1)))
        .hasMessageContaining("another version of Pliant");
    assertThatThrownBy(() -> CheckpointCodec.decode(ByteString.copyFromUtf8("plain")))
        .hasMessageContaining("another version of Pliant");
    ByteString newer = ByteString.copyFrom(new byte[] {0, 3}).concat(whole.substring(2));
    assertThatThrownBy(() -> CheckpointCodec.decode(newer))
        .hasMessageContaining("another version of Pliant");
    ShardLedgerImage nothingDone = image(SHARDS, new long[0], new long[0], List.of());
    ByteString vast = CheckpointCodec.encode(1, images(nothingDone));
    assertThatThrownBy(() -> CheckpointCodec.decode(vast)).hasMessageContaining("too few done");
  }

  private static ShardLedgerImage roundTrip(ShardLedgerImage ledger)
      throws InvalidProtocolBufferException {
    List<LedgerImage> back = CheckpointCodec.decode(CheckpointCodec.encode(1, images(ledger)));
    return ((LedgerImage.Shards) back.getFirst()).ledger();
  }

  private static List<LedgerImage> images(ShardLedgerImage ledger) {
    return List.of(new LedgerImage.Shards(SPEC, ledger));
  }

  /// Of `count` shards one in `every` is not done, at random; of those half are out.
  private static ShardLedgerImage ledger(long seed, int count, int every) {
    RandomGenerator random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
    long[] done = new long[count * 2];
    int ranges = 0;
    long end = 0;
    LongStream.Builder requeued = LongStream.builder();
    List<Out> out = new ArrayList<>();
    for (long number = 0; number < count; number++) {
      if (random.nextInt(every) == 0) {
        if (random.nextBoolean()) {
          requeued.add(number);
        } else {
          out.add(new Out(number, random.nextInt(100), 1_000_000 + number));
        }
      } else if (ranges > 0 && number == end) {
        done[ranges - 1]++;
        end++;
      } else {
        done[ranges++] = number - end;
        done[ranges++] = 1;
        end = number + 1;
      }
    }
    return image(count, Arrays.copyOf(done, ranges), requeued.build().toArray(), out);
  }

  private static ShardLedgerImage image(long cursor, long[] done, long[] requeued, List<Out> out) {
    return new ShardLedgerImage(
        cursor, done, requeued, out, Map.of(3L, 2), Map.of(5L, 1), 77, null, null);
  }
}
