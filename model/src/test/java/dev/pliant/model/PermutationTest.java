package dev.pliant.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class PermutationTest {
  @Test
  void visitsEveryPlaceOnceWhateverTheSize() {
    for (int size = 1; size <= 2_000; size += size < 70 ? 1 : 97) {
      Permutation permutation = new Permutation(size, 42, size % 3);
      BitSet seen = new BitSet(size);
      for (int i = 0; i < size; i++) {
        long value = permutation.at(i);
        assertThat(permutation.positionOf(value)).isEqualTo(i);
        seen.set((int) value);
      }
      assertThat(seen.cardinality()).as("size %d", size).isEqualTo(size);
    }
  }

  @Test
  void ordersEveryEpochAnew() {
    Permutation first = new Permutation(1_000, 7, 0);
    Permutation second = new Permutation(1_000, 7, 1);
    int same = 0;
    for (int i = 0; i < 1_000; i++) {
      same += first.at(i) == second.at(i) ? 1 : 0;
    }
    assertThat(same).isLessThan(20);
  }

  @Test
  void spreadsNeighbours() {
    Permutation permutation = new Permutation(1_000_000, 3, 0);
    long adjacent = 0;
    for (long i = 1; i < 10_000; i++) {
      adjacent += Math.abs(permutation.at(i) - permutation.at(i - 1)) == 1 ? 1 : 0;
    }
    assertThat(adjacent).isLessThan(10);
  }

  /// Journals and checkpoints name positions: an order that changes would train other records.
  @Test
  void keepsItsPromisedOrder() {
    Permutation permutation = new Permutation(1_000_000_007L, 2026, 5);
    assertThat(new long[] {permutation.at(0), permutation.at(1), permutation.at(1_000_000_006L)})
        .containsExactly(PROMISED);
  }

  /// The Python package computes the same order and is held to the same file.
  @Test
  void keepsTheOrderThatOtherLanguagesCompute() throws IOException {
    try (InputStream golden = getClass().getResourceAsStream("/permutation.golden")) {
      List<long[]> rows =
          new String(Objects.requireNonNull(golden).readAllBytes(), StandardCharsets.UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .map(line -> Stream.of(line.split(" ")).mapToLong(Long::parseLong).toArray())
              .toList();
      assertThat(rows).hasSizeGreaterThan(100);
      for (long[] row : rows) {
        Permutation permutation = new Permutation(row[0], row[1], row[2]);
        assertThat(permutation.at(row[3])).as(Arrays.toString(row)).isEqualTo(row[4]);
        assertThat(permutation.positionOf(row[4])).isEqualTo(row[3]);
      }
    }
  }

  private static final long[] PROMISED = {102_582_799L, 998_269_227L, 888_769_787L};

  @Test
  void refusesPlacesOutside() {
    Permutation permutation = new Permutation(10, 1, 1);
    assertThatThrownBy(() -> permutation.at(10)).isInstanceOf(IndexOutOfBoundsException.class);
    assertThatThrownBy(() -> permutation.positionOf(-1))
        .isInstanceOf(IndexOutOfBoundsException.class);
  }
}
