package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceChange;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// What all nodes of a job use together never leaves its limits, whatever is wished and whatever
/// runs out of memory.
class JobLimitsTest {
  private static final ResourceLimits LIMITS = new ResourceLimits(4.0, 3_000L, 1L, null);

  /// Two workers and a server, each of one core and 512 MiB.
  private static NodeLife job(ResourceLimits limits) {
    NodeResources small = new NodeResources(1, 512, 0);
    NodeLife life =
        NodeLife.of(
            NodeLife.within(
                limits,
                NodeLife.with(
                    NodeLife.plan(Strategy.ALLREDUCE, 2, 1, 9, small),
                    new JobPlan.RolePlan("ps", 1, 0, 9, 3, small))));
    life.runs(0, 1);
    return life;
  }

  private static Wish count(String role, int count, ResourceChange size) {
    return wish(List.of(new Wish.RoleWish(role, count, size)), List.of(), List.of());
  }

  private static Wish wish(
      List<Wish.RoleWish> roles, List<NodeId> remove, List<Wish.Replacement> replace) {
    return new Wish("w", 1, "a test", roles, List.of(), remove, replace);
  }

  private static ResourceChange cores(double cores) {
    return new ResourceChange(cores, null, null, null);
  }

  private static Wish.Replacement replacement(double cores) {
    return new Wish.Replacement(NodeLife.worker(0), cores(cores));
  }

  static Stream<Arguments> wishes() {
    ResourceChange same = ResourceChange.NONE;
    return Stream.of(
        arguments("up to the limit", count("worker", 3, same), ""),
        arguments("one too many", count("worker", 4, same), "5.0 of 4.0 cores"),
        arguments("larger ones", count("worker", 3, cores(1.5)), "4.5 of 4.0 cores"),
        arguments("of another role", count("ps", 3, same), "5.0 of 4.0 cores"),
        arguments(
            "in memory",
            count("ps", 2, new ResourceChange(0.5, 2_000L, null, null)),
            "3,536 of 3,000 MiB"),
        arguments(
            "in GPUs", count("ps", 2, new ResourceChange(null, null, 2, null)), "2 of 1 GPUs"),
        arguments(
            "one replaced by a larger one",
            wish(List.of(), List.of(), List.of(replacement(2))),
            ""),
        arguments(
            "one replaced by too large a one",
            wish(List.of(), List.of(), List.of(replacement(3))),
            "5.0 of 4.0 cores"),
        arguments(
            "one goes, and leaves its room",
            wish(List.of(), List.of(NodeLife.worker(1)), List.of(replacement(3))),
            ""),
        arguments(
            "one shrinks where another grows",
            wish(
                List.of(new Wish.RoleWish("ps", 3, same), new Wish.RoleWish("worker", 1, same)),
                List.of(),
                List.of()),
            ""));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("wishes")
  void aWishKeepsWithinThem(String what, Wish wish, String wantExceeded) {
    NodeLife life = job(LIMITS);
    List<String> before = life.staying();

    Wish.Taken taken = life.wish(wish);

    assertThat(taken.done()).as(taken.message()).isEqualTo(wantExceeded.isEmpty());
    if (!wantExceeded.isEmpty()) {
      assertThat(taken.message())
          .isEqualTo(
              "the nodes of this job would use %s, more than its limits (spec.resourceLimits) allow; ask for fewer or smaller ones, or raise the limits."
                  .formatted(wantExceeded));
      assertThat(life.staying()).isEqualTo(before);
    }
  }

  @Test
  void limitsThatWereLoweredLetAJobShrink() {
    NodeLife life = job(LIMITS);
    ResourceLimits lower = new ResourceLimits(1.0, null, null, null);
    life.apply(JobOrders.define(life.table, NodeLife.within(lower, life.table.plan())));

    assertThat(life.wish(count("worker", 1, ResourceChange.NONE)).done()).isTrue();
  }

  @Test
  void oneThatRanOutOfMemoryGetsWhatTheyLeave() {
    NodeLife life = job(new ResourceLimits(null, 1_700L, null, null));

    life.runsOutOfMemory(0);

    assertThat(life.node(2).resources().memoryMib()).isEqualTo(1_700 - 2 * 512);
    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);

    life.runs(2);
    life.runsOutOfMemory(2);
    assertThat(life.table.phase()).isEqualTo(JobPhase.STOPPING);
    assertThat(life.table.phaseReason()).contains("the job's limits leave it no more");
  }

  @Test
  void thoseThatRanOutOfMemoryAtOnceShareWhatTheyLeave() {
    NodeLife life = job(new ResourceLimits(null, 1_900L, null, null));

    life.apply(
        NodeObserver.list(
            life.table,
            List.of(
                new NodeNews.Ended(NodeLife.worker(0), 137, true, null, ""),
                new NodeNews.Ended(NodeLife.worker(1), 137, true, null, ""))));

    assertThat(life.table.phase()).isEqualTo(JobPhase.RUNNING);
    assertThat(life.node(2).resources().memoryMib()).isEqualTo((1_900 - 512) / 2);
    assertThat(life.node(3).resources().memoryMib()).isEqualTo((1_900 - 512) / 2);
  }

  @Test
  void growsAsFarAsThereIsRoomAndSaysSo() {
    NodeLife life = job(new ResourceLimits(null, 4_000L, null, null));
    life.runsOutOfMemory(0); // From now on a new worker gets 1,024 MiB.

    life.scale(6);

    assertThat(life.staying()).containsExactly("ps-0", "worker-1", "worker-2", "worker-3");
    assertThat(life.table.desired().job().message())
        .startsWith(
            "3 of 6 worker nodes are there, and the job's limits (at most 4,000 MiB in all)")
        .contains("raise spec.resourceLimits");
    assertThat(life.wish(count("worker", 5, ResourceChange.NONE)).done())
        .as("fewer than were wished, though more than there is room for")
        .isTrue();
  }
}
