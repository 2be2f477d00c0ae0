package dev.pliant.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RowTest {
  private static Row row(Bar bar) {
    return Row.of("lease", "lease", "calls/s", Series.of(10, 12, 14), bar);
  }

  @Test
  void bothSidesOfABarAreJudgedByTheMedianOfTheRatios() {
    Series peer = Series.of(20, 20, 20);

    assertThat(row(new Bar.RatioAtLeast(0.6)).beside("limit", peer).met()).contains(true);
    assertThat(row(new Bar.RatioAtLeast(0.61)).beside("limit", peer).met()).contains(false);
    assertThat(row(new Bar.RatioBelow(0.6)).beside("peer", peer).met()).contains(false);
    assertThat(row(new Bar.RatioBelow(0.61)).beside("peer", peer).met()).contains(true);
  }

  @Test
  void aBarOnTheValueNeedsNoPeer() {
    assertThat(row(new Bar.ValueAtMost(12)).met()).contains(true);
    assertThat(row(new Bar.ValueAtMost(11)).met()).contains(false);
  }

  @Test
  void withoutABarThereIsNothingToMeet() {
    assertThat(row(Bar.none()).met()).isEmpty();
  }

  @Test
  void whatCouldNotBeMeasuredMeetsNoBar() {
    assertThat(Row.failed("lease", "lease", "ghz is missing").met()).contains(false);
  }
}
