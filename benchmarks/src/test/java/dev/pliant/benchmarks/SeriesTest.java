package dev.pliant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.List;
import org.junit.jupiter.api.Test;

class SeriesTest {
  @Test
  void medianIsTheMiddleOneOrHalfwayBetweenTheTwo() {
    assertThat(Series.of(9, 1, 5).median()).isEqualTo(5);
    assertThat(Series.of(9, 1, 5, 6).median()).isEqualTo(5.5);
  }

  @Test
  void ratiosPairWhatWasMeasuredInTheSameRound() {
    Series ratio = Series.of(8, 5, 9).over(Series.of(10, 10, 10));

    assertThat(ratio.values()).containsExactly(0.8, 0.5, 0.9);
    assertThat(ratio.median()).isEqualTo(0.8);
    assertThat(ratio.min()).isEqualTo(0.5);
    assertThat(ratio.max()).isEqualTo(0.9);
  }

  @Test
  void withoutPairsTheRatioIsThatOfTheMedians() {
    assertThat(Series.of(8, 6, 4).over(Series.of(2)).values()).containsExactly(3.0);
  }

  @Test
  void refusesToBeEmpty() {
    assertThatIllegalArgumentException().isThrownBy(() -> new Series(List.of()));
  }
}
