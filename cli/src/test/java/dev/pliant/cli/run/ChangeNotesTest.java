package dev.pliant.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.model.JobPhase;
import dev.pliant.model.NodePhase;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class ChangeNotesTest {
  private static final String W0 = "worker-0";
  private static final String W1 = "worker-1";
  private static final String W2 = "worker-2";

  static Stream<Arguments> changes() {
    return Stream.of(
        arguments(
            "workers start",
            null,
            Moments.running().node(W0, NodePhase.PENDING, "", ""),
            List.of()),
        arguments(
            "the first world",
            Moments.running().node(W0, NodePhase.RUNNING, "", ""),
            Moments.running().node(W0, NodePhase.RUNNING, "", "").world(1, W0),
            List.of("world 1: 1 worker (worker-0)")),
        arguments(
            "a wish",
            Moments.running().wish(2),
            Moments.running().wish(3).node(W2, NodePhase.PENDING, "", ""),
            List.of("3 workers wished")),
        arguments(
            "a worker is killed, replaced, and the world is another",
            Moments.running()
                .node(W0, NodePhase.RUNNING, "", "")
                .node(W1, NodePhase.RUNNING, "", "")
                .world(1, W0, W1),
            Moments.running()
                .node(W0, NodePhase.RUNNING, "", "")
                .node(W1, NodePhase.FAILED, "killed", "its process was killed")
                .replacement(W2, W1)
                .world(2, W0),
            List.of(
                "worker-1 failed (killed): its process was killed",
                "worker-2 takes the place of worker-1",
                "world 2: 1 worker (worker-0)")),
        arguments(
            "a worker is scaled down",
            Moments.running().node(W1, NodePhase.RUNNING, "", ""),
            Moments.running().node(W1, NodePhase.DELETED, "succeeded", ""),
            List.of("worker-1 left")),
        arguments(
            "the job fails",
            Moments.running(),
            Moments.job(JobPhase.STOPPING, "worker-1 used up its restarts"),
            List.of("stopping: worker-1 used up its restarts")),
        arguments(
            "nothing changes",
            Moments.running().node(W1, NodePhase.SUCCEEDED, "succeeded", "").world(1, W1),
            Moments.running().node(W1, NodePhase.SUCCEEDED, "succeeded", "").world(1, W1),
            List.of()));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("changes")
  void saysWhatChanged(String name, @Nullable Moments before, Moments now, List<String> want) {
    assertThat(ChangeNotes.between(before == null ? null : before.moment(), now.moment()))
        .isEqualTo(want);
  }
}
