package dev.pliant.autoscaling.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class StageStateTest {
  private static final String TABLE =
      """
      CREATE         WORKER_INITIAL WORKER_INITIAL WORKER_INITIAL CREATE
      WORKER_INITIAL WORKER_INITIAL PS_INITIAL     PS_INITIAL     WORKER_INITIAL
      PS_INITIAL     RUNNING/SAMPLE PS_INITIAL     RUNNING/SAMPLE PS_INITIAL
      RUNNING/SAMPLE RUNNING/SAMPLE RUNNING/STABLE RUNNING/STABLE RUNNING/SAMPLE
      RUNNING/STABLE RUNNING/STABLE RUNNING/STABLE RUNNING/STABLE RUNNING/STABLE
      """;

  @Test
  void everyPairIsAsTheTableSays() {
    List<String> rows = new ArrayList<>();
    for (String row : TABLE.strip().split("\n")) {
      String[] cells = row.split(" +");
      StageState state = state(cells[0]);
      for (StageEvent event : StageEvent.values()) {
        assertThat(state.next(event))
            .as("%s, %s", cells[0], event)
            .isEqualTo(state(cells[1 + event.ordinal()]));
      }
      rows.add(cells[0]);
    }
    assertThat(rows).hasSize(5);
  }

  @Test
  void onlyRunningHasPhases() {
    assertThatThrownBy(() -> new StageState(JobStage.CREATE, WorkerPhase.STABLE))
        .isInstanceOf(IllegalArgumentException.class);
  }

  private static StageState state(String cell) {
    String[] parts = cell.split("/");
    return new StageState(
        JobStage.valueOf(parts[0]),
        parts.length == 1 ? WorkerPhase.SAMPLE : WorkerPhase.valueOf(parts[1]));
  }
}
