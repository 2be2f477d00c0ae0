package dev.pliant.machine.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.machine.rendezvous.RendezvousState.Member;
import dev.pliant.model.WorkerId;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/// What must hold of every world, and of a job that nothing has befallen for a while.
final class Invariants {
  private Invariants() {}

  /// Plain comparisons: this is asked for every world of a million runs.
  static void beforeForming(RendezvousState state, RendezvousEvent.WorldFormed formed) {
    RendezvousRules rules = state.rules();
    int size = formed.members().size();
    require(formed.version() == state.version() + 1, "versions go up by one");
    require(state.training() == 0, "nobody is in two worlds");
    require(size >= rules.min() && size <= rules.max() && size % rules.unit() == 0, "its size");
    Set<WorkerId> distinct = new HashSet<>(formed.members());
    require(distinct.size() == size, "nobody has two ranks");
    boolean anyHolds = false;
    for (Member member : state.members()) {
      anyHolds |= !member.training && member.holdsState;
    }
    Member first = state.member(formed.members().getFirst());
    require(first != null && (first.holdsState || !anyHolds), "rank 0 holds the state");
  }

  private static boolean isSeated(World world, SimulatedNode node) {
    return world.seats().stream().anyMatch(seat -> seat.member().equals(node.id()));
  }

  private static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError("a world is formed against the rules: " + what);
    }
  }

  /// One agreed world of as many as can be, or a wait or an end that is legitimate.
  static void atRest(SimulatedJob job) {
    RendezvousState state = job.state();
    List<SimulatedNode> able = job.nodes.stream().filter(SimulatedNode::isAble).toList();
    Meeting.Ending ending = state.meeting().ending();
    if (ending != null) {
      for (SimulatedNode node : able) {
        assertThat(!node.waits() || node.knowsItIsClosed())
            .as("%s waits, and knows that nothing will come", node)
            .isTrue();
      }
      return;
    }
    int size = job.rules.sizeOf(able.size());
    if (size == 0) {
      assertThat(able).as("too few for a world all wait").allMatch(SimulatedNode::waits);
      return;
    }
    World world = state.world();
    assertThat(world).as("%d can train, and there is no world", able.size()).isNotNull();
    if (world == null) {
      return;
    }
    if (job.nodes.stream().filter(node -> isSeated(world, node)).allMatch(SimulatedNode::isHung)) {
      // A world that hangs as a whole has nobody in it who could tell; that is not the
      // rendezvous' to find.
      return;
    }
    List<SimulatedNode> training =
        able.stream().filter(node -> node.trainsIn(world.version())).toList();
    assertThat(world.size()).as("as large as can be with %s", able).isEqualTo(size);
    assertThat(training).as("all of world %d are in it", world.version()).hasSize(size);
    assertThat(job.group(world.version()).isWhole()).as("its group works").isTrue();
    assertThat(state.isReforming()).as("nothing more is wanted").isFalse();
    for (SimulatedNode node : able) {
      assertThat(node.trainsIn(world.version()) || node.waits())
          .as("%s is in no other world", node)
          .isTrue();
    }
  }
}
