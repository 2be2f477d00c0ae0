package dev.pliant.model;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProcStatTest {
  private static final String LINE =
      "42 (a) (b c) T 7 42 41 0 -1 4194560 1 2 3 4 60 40 0 0 20 0 1 0 12345 1000 250 18446744073709551615";

  @Test
  void readsNamesWithBracketsAndSpaces() {
    assertThat(ProcStat.parse(LINE))
        .contains(new ProcStat(42, 'T', 7, 41, 100, 12_345, 250))
        .hasValueSatisfying(process -> assertThat(process.alive()).isTrue());
    assertThat(ProcStat.state(LINE)).isEqualTo('T');
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "nonsense", "1 (a) ", "1 (a) S 2", "x (a) S 1 1 1"})
  void aLineThatIsNoneIsNothing(String line) {
    assertThat(ProcStat.parse(line)).isEmpty();
  }

  @Test
  void zombiesAreNotAlive() {
    assertThat(ProcStat.parse(LINE.replace(" T ", " Z ")))
        .hasValueSatisfying(process -> assertThat(process.alive()).isFalse());
  }
}
