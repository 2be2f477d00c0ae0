package dev.pliant.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.JobPlan.Checkpointing;
import dev.pliant.model.JobPlan.Workers;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class JobPlanTest {
  private static Workers workers(int wish, int min, int max) {
    return new Workers(wish, min, max, 3, NodeResources.UNBOUNDED);
  }

  private static JobPlan plan(
      Strategy strategy, Elasticity elasticity, int nproc, List<String> command, String folder) {
    return new JobPlan(
        new JobId("default", "digits"),
        7,
        strategy,
        elasticity,
        workers(2, 1, 4),
        nproc,
        command,
        Map.of(),
        folder,
        null,
        "",
        1_000,
        List.of());
  }

  record Bad(String what, Supplier<?> make, String said) {
    @Override
    public String toString() {
      return what;
    }
  }

  static Stream<Bad> bad() {
    List<String> command = List.of("python3");
    return Stream.of(
        new Bad("more at least than at most", () -> workers(2, 3, 2), "from 3 to 2 workers"),
        new Bad("nobody at least", () -> workers(0, 0, 2), "from 0 to 2 workers"),
        new Bad("a wish above the most", () -> workers(5, 1, 4), "5 workers are wished"),
        new Bad("a wish below the fewest", () -> workers(1, 2, 4), "1 workers are wished"),
        new Bad(
            "restarts below none",
            () -> new Workers(1, 1, 1, -1, NodeResources.UNBOUNDED),
            "-1 restarts"),
        new Bad(
            "a group that cannot change",
            () -> plan(Strategy.ALLREDUCE, Elasticity.NONE, 1, command, "/"),
            "does not go with"),
        new Bad(
            "a change of no group",
            () -> plan(Strategy.LOCAL, Elasticity.RESTART, 1, command, "/"),
            "does not go with"),
        new Bad(
            "no process on a node",
            () -> plan(Strategy.LOCAL, Elasticity.NONE, 0, command, "/"),
            "nprocPerNode is 0"),
        new Bad(
            "no command",
            () -> plan(Strategy.LOCAL, Elasticity.NONE, 1, List.of(), "/"),
            "the command is empty"),
        new Bad(
            "a folder that depends on where one stands",
            () -> plan(Strategy.LOCAL, Elasticity.NONE, 1, command, "here"),
            "'here' is no absolute path"),
        new Bad("a checkpoint of no step", () -> new Checkpointing("c", 0, 1), "every 0 steps"),
        new Bad(
            "a data position of no checkpoint",
            () -> new Checkpointing("c", 1, 1, "", true),
            "none is named"),
        new Bad(
            "a uid that leads out of its folder",
            () ->
                new JobPlan(
                    new JobId("default", "j"),
                    1,
                    Strategy.LOCAL,
                    Elasticity.NONE,
                    new JobPlan.Workers(1, 1, 1, 0, NodeResources.UNBOUNDED),
                    1,
                    command,
                    Map.of(),
                    "/",
                    null,
                    "",
                    0,
                    List.of(),
                    ResourceLimits.NONE,
                    "../x"),
            "the uid '../x' has other characters"),
        new Bad("less than no memory", () -> new NodeResources(0, -1, 0), "a node of -1 MiB"),
        new Bad("no number of cores", () -> new NodeResources(Double.NaN, 0, 0), "NaN cores"));
  }

  @ParameterizedTest
  @MethodSource("bad")
  void whatCannotBeCarriedOutIsRefused(Bad bad) {
    assertThatThrownBy(() -> bad.make().get())
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BAD_JOB_PLAN))
        .hasMessageContaining(bad.said());
  }

  @Test
  void aGroupHasAtMostTheProcessesOfAllNodes() {
    assertThat(plan(Strategy.ALLREDUCE, Elasticity.RESTART, 2, List.of("x"), "/").maxMembers())
        .isEqualTo(8);
  }

  @Test
  void aNodesNameIsReadAsItIsWritten() {
    assertThat(NodeId.parse("worker-12")).isEqualTo(new NodeId("worker", 12));
    assertThat(NodeId.parse("worker-12")).hasToString("worker-12");
    for (String bad : List.of("worker", "worker-", "worker-01", "-1", "worker-1-0", "Worker-1")) {
      assertThatThrownBy(() -> NodeId.parse(bad))
          .isInstanceOf(PliantException.class)
          .hasMessageContaining("'" + bad + "' is no node");
    }
  }

  @Test
  void aNodesOnlyWorkerHasItsName() {
    assertThat(new NodeId("worker", 3).workers(1)).containsExactly(new WorkerId("worker-3"));
    assertThat(new NodeId("worker", 3).workers(2))
        .containsExactly(new WorkerId("worker-3-0"), new WorkerId("worker-3-1"));
  }

  @Test
  void wordsAreReadAsTheyAreWritten() {
    for (Elasticity elasticity : Elasticity.values()) {
      assertThat(Elasticity.of(elasticity.word())).isEqualTo(elasticity);
    }
    for (Strategy strategy : Strategy.values()) {
      assertThat(Strategy.of(strategy.word())).isEqualTo(strategy);
    }
    assertThatThrownBy(() -> Elasticity.of("rubber")).hasMessageContaining("none, in-process");
  }
}
