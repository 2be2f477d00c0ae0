package dev.pliant.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.JobId;
import org.junit.jupiter.api.Test;

final class OutcomeTest {
  @Test
  void isALineForPeopleOrForAProgram() {
    Outcome outcome = new Outcome(new JobId("team", "digits"), "job team/digits is \"gone\".");

    assertThat(outcome.printed(OutputFormat.text)).isEqualTo("job team/digits is \"gone\".");
    assertThat(outcome.printed(OutputFormat.json))
        .isEqualTo("{\"job\":\"team/digits\",\"message\":\"job team/digits is \\\"gone\\\".\"}");
  }
}
