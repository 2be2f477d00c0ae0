package dev.pliant.model.decision;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RecentDecisionsTest {
  private static Decision decision(int number) {
    return new Choice(
            new Subject.OfRole("worker"),
            Rule.GROW,
            List.of(Input.count(InputName.REQUESTED, number)),
            Alternatives.nonePossible(),
            new Plan.KeepWaiting())
        .at(number, 0, List.of());
  }

  @Test
  void countsAllAndKeepsTheNewest() {
    RecentDecisions recent = RecentDecisions.NONE;
    for (int i = 1; i <= RecentDecisions.KEPT + 4; i++) {
      recent = recent.with(decision(i));
    }

    assertThat(recent.made()).isEqualTo(RecentDecisions.KEPT + 4);
    assertThat(recent.newest()).hasSize(RecentDecisions.KEPT);
    assertThat(recent.first()).isEqualTo(5);
    assertThat(recent.newest().getFirst()).isEqualTo(decision(5));
    assertThat(recent.newest().getLast()).isEqualTo(decision(RecentDecisions.KEPT + 4));
  }

  @Test
  void ofNoneTheFirstIsYetToCome() {
    assertThat(RecentDecisions.NONE.first()).isEqualTo(1);
  }
}
