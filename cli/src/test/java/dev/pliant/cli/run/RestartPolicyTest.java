package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.cli.run.RestartPolicy.Verdict;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class RestartPolicyTest {
  private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

  @Test
  void startsAMasterThatHadServedAtOnceHoweverOften() {
    RestartPolicy policy = RestartPolicy.fresh();
    for (int i = 0; i < 1_000; i++) {
      policy = again(policy.died(START.plusMillis(i), true), Duration.ZERO);
    }
  }

  @Test
  void waitsLongerAndLongerForOneThatCannotComeUpAndGivesUpAtTheTenth() {
    RestartPolicy policy = RestartPolicy.fresh();
    List<Long> waits = new ArrayList<>();
    Instant now = START;
    for (int death = 1; death < RestartPolicy.FUTILE_LIMIT; death++) {
      Verdict verdict = policy.died(now, false);
      assertThat(verdict).isInstanceOf(Verdict.Again.class);
      Verdict.Again again = (Verdict.Again) verdict;
      waits.add(again.after().toMillis());
      policy = again.next();
      now = now.plus(again.after());
    }

    assertThat(waits)
        .containsExactly(100L, 200L, 400L, 800L, 1_000L, 1_000L, 1_000L, 1_000L, 1_000L);
    assertThat(now).isBefore(START.plus(RestartPolicy.FUTILE_WINDOW));
    assertThat(policy.died(now, false)).isEqualTo(new Verdict.GiveUp(10));
  }

  @Test
  void isMorePatientWithOneThatDiesSlowlyButNotForever() {
    RestartPolicy policy = RestartPolicy.fresh();
    for (int death = 1; death < RestartPolicy.IN_A_ROW_LIMIT; death++) {
      Verdict verdict = policy.died(START.plusSeconds(10L * death), false);
      assertThat(verdict).as("death %d", death).isInstanceOf(Verdict.Again.class);
      policy = ((Verdict.Again) verdict).next();
    }
    assertThat(policy.died(START.plusSeconds(300), false)).isEqualTo(new Verdict.GiveUp(30));
  }

  @Test
  void beginsAnewAfterAMasterThatServed() {
    RestartPolicy policy = RestartPolicy.fresh();
    for (int i = 0; i < 9; i++) {
      policy = ((Verdict.Again) policy.died(START, false)).next();
    }

    policy = again(policy.died(START, true), Duration.ZERO);

    again(policy.died(START, false), Duration.ofMillis(100));
  }

  private static RestartPolicy again(Verdict verdict, Duration wantAfter) {
    assertThat(verdict).isInstanceOf(Verdict.Again.class);
    assertThat(((Verdict.Again) verdict).after()).isEqualTo(wantAfter);
    return ((Verdict.Again) verdict).next();
  }
}
