package dev.pliant.machine.shards;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.BitSet;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class DoneSetTest {
  @Test
  void agreesWithABitSetWhateverTheOrder() {
    for (long seed = 1; seed <= 60; seed++) {
      SplittableRandom random = new SplittableRandom(seed);
      int size = random.nextInt(1, 20_000);
      int window = random.nextInt(1, 9_000);
      DoneSet set = new DoneSet();
      BitSet expected = new BitSet();
      while (expected.cardinality() < size) {
        int from = expected.nextClearBit(0);
        int number = expected.nextClearBit(Math.min(size - 1, from + random.nextInt(window)));
        if (number >= size) {
          number = from;
        }
        set.add(number);
        expected.set(number);
        if (random.nextInt(500) == 0) {
          set = DoneSet.ofRanges(set.ranges());
        }
        assertThat(set.firstMissing()).as("seed %d", seed).isEqualTo(expected.nextClearBit(0));
      }
      for (int i = 0; i < size + 10; i++) {
        assertThat(set.contains(i)).as("seed %d, %d", seed, i).isEqualTo(expected.get(i));
      }
      assertThat(set.count()).isEqualTo(size);
      assertThat(set.ranges()).containsExactly(0, size);
    }
  }
}
