package dev.pliant.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class WaitNotesTest {
  @Test
  void saysNothingOfAShortWaitAndNowAndThenOfALongOne() {
    List<String> said = new ArrayList<>();
    WaitNotes notes = new WaitNotes(said::add, 0);
    for (int second = 0; second < 30; second++) {
      notes.still("second " + second, Duration.ofSeconds(second).toNanos());
    }

    assertThat(said).containsExactly("second 3 …", "second 13 …", "second 23 …");
  }
}
