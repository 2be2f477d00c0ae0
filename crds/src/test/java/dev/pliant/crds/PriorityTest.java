package dev.pliant.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class PriorityTest {
  @ParameterizedTest
  @ValueSource(strings = {"high", "low", "team-a.urgent", "1a", "0x1"})
  void aWordNamesTheClassOfAll(String name) {
    assertThat(Priority.of(name)).isEqualTo(new Priority.Named(name));
    assertThat(Priority.of(name).classOf(7)).isEqualTo(name);
  }

  @ParameterizedTest(name = "{0} of {1}: {2}")
  @CsvSource({
    "0.5, 4, high low high low",
    "0.5, 3, high low high",
    "0.25, 5, high low low low high",
    "0.7, 10, high high high low high high low high high low",
    "0, 3, low low low",
    "0.001, 3, high low low",
    "1, 3, high high high",
    "1.0, 2, high high",
    ".5, 2, high low"
  })
  void aShareIsHighAndTheFirstAmongIt(String share, int places, String want) {
    Priority priority = Priority.of(share);

    assertThat(IntStream.range(0, places).mapToObj(priority::classOf))
        .containsExactly(want.split(" "));
  }

  @Test
  void aShareIsKeptForEverySize() {
    Priority priority = Priority.of("0.3");

    for (int size = 1; size <= 1_000; size++) {
      long high =
          IntStream.range(0, size).mapToObj(priority::classOf).filter("high"::equals).count();
      assertThat(high).as("of %d", size).isEqualTo((3 * size + 9) / 10);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "1.1", "-0.5", "1000", "High", "a b", "-a", "a-"})
  void anythingElseIsNone(String written) {
    assertThatExceptionOfType(IllegalArgumentException.class)
        .isThrownBy(() -> Priority.of(written));
  }
}
