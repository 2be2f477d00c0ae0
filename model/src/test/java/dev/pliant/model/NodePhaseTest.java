package dev.pliant.model;

import static dev.pliant.model.NodePhase.DELETED;
import static dev.pliant.model.NodePhase.FAILED;
import static dev.pliant.model.NodePhase.PENDING;
import static dev.pliant.model.NodePhase.RUNNING;
import static dev.pliant.model.NodePhase.SUCCEEDED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.NodePhase.Observation;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodePhaseTest {
  /// As the Javadoc draws it: a row a phase, a column an observation, in their order.
  private static List<NodePhase> row(NodePhase phase) {
    return switch (phase) {
      case INITIAL, PENDING -> List.of(PENDING, RUNNING, SUCCEEDED, FAILED, DELETED);
      case RUNNING -> List.of(RUNNING, RUNNING, SUCCEEDED, FAILED, DELETED);
      case SUCCEEDED -> List.of(SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED, SUCCEEDED);
      case FAILED -> List.of(FAILED, FAILED, FAILED, FAILED, FAILED);
      case DELETED -> List.of(DELETED, DELETED, DELETED, DELETED, DELETED);
    };
  }

  @Test
  void everyPairIsAsTheTableSays() {
    for (NodePhase phase : NodePhase.values()) {
      for (Observation seen : Observation.values()) {
        assertThat(NodePhase.next(phase, seen))
            .as("%s seen %s", phase, seen)
            .isEqualTo(row(phase).get(seen.ordinal()));
      }
    }
  }

  @Test
  void noNewsLeadsBack() {
    for (NodePhase phase : NodePhase.values()) {
      for (Observation seen : Observation.values()) {
        assertThat(NodePhase.next(phase, seen).ordinal()).isGreaterThanOrEqualTo(phase.ordinal());
      }
    }
  }

  @Test
  void seeingTheSameTwiceChangesNothing() {
    for (NodePhase phase : NodePhase.values()) {
      for (Observation seen : Observation.values()) {
        NodePhase once = NodePhase.next(phase, seen);
        assertThat(NodePhase.next(once, seen)).isEqualTo(once);
      }
    }
  }

  @Test
  void threePhasesAreEnds() {
    assertThat(Arrays.stream(NodePhase.values()).filter(NodePhase::ended))
        .containsExactly(SUCCEEDED, FAILED, DELETED);
  }
}
