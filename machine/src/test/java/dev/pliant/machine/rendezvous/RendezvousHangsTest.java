package dev.pliant.machine.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ExitReason;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/// Twelve ways in which groups of other systems were reported to hang, and what happens here.
class RendezvousHangsTest {
  private static final RendezvousRules RULES = RendezvousRules.of(2, 4);

  /// The longest that a change may take once one has come out of the old world.
  private static final Duration BOUND = RULES.leaveOutAfter();

  private static Table training(int... numbers) {
    Table table = new Table(RULES);
    table.come(numbers);
    table.wait(RULES.lastCall());
    assertThat(table.members()).hasSize(numbers.length);
    return table;
  }

  @Test
  void theMemberThatHostsTheStoreDies() {
    Table table = training(0, 1, 2);
    table.die(0);
    table.comeOut(1, 2);
    assertThat(table.members()).as("another hosts the next").containsExactly(1, 2);
    assertThat(table.world().version()).isEqualTo(2);
  }

  @Test
  void aMissedHeartbeatReformsTheGroup() {
    Table table = training(0, 1, 2);
    Rendezvous.leave(
            table.state, Table.life(1, 1).worker(), ExitReason.NO_HEARTBEAT, "nothing was heard")
        .forEach(event -> table.state.apply(event, table.now));
    table.wait(Duration.ZERO);
    assertThat(table.isReforming()).isTrue();
    table.wait(RULES.abortAfter());
    assertThat(table.isAborting()).as("the others wait for it in a collective").isTrue();
    table.comeOut(0, 2);
    assertThat(table.members()).containsExactly(0, 2);
    assertThat(table.arrive(1, 1, true)).as("should it wake, it is told").hasSize(1);
  }

  @Test
  void scaleDownDoesNotCloseTheRendezvous() {
    Table table = training(0, 1, 2, 3);
    table.drain(2);
    table.drain(3);
    table.comeOut(0, 1, 2, 3);
    table.leave(2, ExitReason.SUCCEEDED);
    table.leave(3, ExitReason.SUCCEEDED);
    assertThat(table.isClosed()).isFalse();
    assertThat(table.members()).containsExactly(0, 1);
    table.come(4);
    table.wait(RULES.lastCall());
    table.comeOut(0, 1);
    assertThat(table.members()).as("and it grows again").containsExactly(0, 1, 4);
  }

  @Test
  void sigtermOnOneNodeDoesNotHangTheOthers() {
    Table table = training(0, 1, 2);
    table.drain(1);
    table.comeOut(0, 2);
    // It is killed before it came to a boundary.
    table.leave(1, ExitReason.KILLED);
    assertThat(table.members()).containsExactly(0, 2);
    Table ignored = training(0, 1, 2);
    ignored.drain(1);
    ignored.comeOut(0, 2);
    ignored.wait(BOUND);
    assertThat(ignored.members()).as("or it never comes").containsExactly(0, 2);
  }

  @Test
  void shutdownDuringAReform() {
    Table table = training(0, 1, 2);
    table.come(3);
    assertThat(table.isReforming()).isTrue();
    table.comeOut(0);
    for (int number = 0; number < 4; number++) {
      table.drain(number);
    }
    assertThat(table.arrive(1, 1, true)).hasSize(1);
    table.leave(2, ExitReason.KILLED);
    assertThat(table.state.size()).isZero();
    assertThat(Rendezvous.next(table.state)).isEqualTo(new Next.Nothing());
    table.come(5, 6);
    table.wait(RULES.lastCall());
    assertThat(table.members()).as("whoever comes later begins anew").containsExactly(5, 6);
  }

  @Test
  void agentsThatLoopForeverAreToldThatTheyAreOut() {
    Table table = training(0, 1, 2);
    table.comeOut(0, 1);
    table.wait(BOUND);
    long version = table.world().version();
    for (int i = 0; i < 100; i++) {
      assertThat(table.arrive(2, 1, true)).hasSize(1);
    }
    assertThat(table.isReforming()).as("and disturb nobody").isFalse();
    table.leave(0, ExitReason.SUCCEEDED);
    Rendezvous.Met met =
        Rendezvous.arrive(
            table.state,
            Table.node(2),
            java.util.List.of(Table.waiting(Table.life(2, 2), 0, false)));
    assertThat(met.closed()).as("or that there is no further world").isTrue();
    assertThat(met.events()).isEmpty();
    assertThat(table.world().version()).isEqualTo(version);
  }

  @Test
  void aStaleGroupIdAfterARestartIsNoWayIn() {
    Table table = training(0, 1, 2);
    table.comeOut(0, 1);
    table.wait(BOUND);
    table.restartMaster(Duration.ofSeconds(2));
    assertThat(table.world().version()).isEqualTo(2);
    assertThat(table.open(2, Standing.trains(Table.life(2, 1), 1))).hasSize(1);
    assertThat(table.arrive(2, 1, true)).hasSize(1);
    assertThat(table.isReforming()).isFalse();
    table.open(0, Standing.trains(Table.life(0, 1), 2));
    table.comeOut(0, 1);
    assertThat(table.world().version()).as("versions go on, not back").isEqualTo(3);
  }

  @Test
  void survivorsBelowMinWaitAndThenEndByPolicy() {
    Table table = training(0, 1);
    table.die(1);
    table.comeOut(0);
    table.wait(RULES.belowMinFor().minusMillis(1));
    assertThat(table.isClosed()).isFalse();
    table.wait(Duration.ofMillis(1));
    assertThat(table.ending().complete()).isFalse();
    assertThat(table.ending().why()).contains("needs 2");
    assertThat(table.ending().waiting()).containsExactly(Table.node(0));

    Table mended = training(0, 1);
    mended.die(1);
    mended.comeOut(0);
    mended.wait(RULES.belowMinFor().minusSeconds(10));
    mended.come(2);
    mended.wait(RULES.lastCall());
    assertThat(mended.members()).as("or somebody comes in time").containsExactly(0, 2);
  }

  @Test
  void aJoinerThatStallsInTheBroadcastIsLeftOut() {
    Table table = training(0, 1);
    table.come(2);
    table.wait(RULES.lastCall());
    table.comeOut(0, 1);
    assertThat(table.members()).containsExactly(0, 1, 2);
    // The others' collective is bounded: they come out with the state that they had.
    table.comeOut(1, 0);
    table.wait(BOUND);
    assertThat(table.members()).containsExactly(0, 1);
  }

  @Test
  void aSpareDoesNotKillTheJob() {
    Table table = training(0, 1, 2, 3);
    table.come(4);
    table.wait(Duration.ofHours(1));
    assertThat(table.isReforming()).as("it would not make the world larger").isFalse();
    table.leave(4, ExitReason.FATAL_ERROR);
    assertThat(table.isReforming()).isFalse();
    table.come(5);
    table.leave(5, ExitReason.SUCCEEDED);
    assertThat(table.isClosed()).isFalse();
    table.come(6);
    table.die(1);
    table.comeOut(0, 2, 3);
    assertThat(table.members()).as("and takes a place that falls free").containsExactly(0, 2, 3, 6);
  }

  @Test
  void deadMembersDoNotBlockTheQuorum() {
    Table table = new Table(RendezvousRules.of(3, 4).withWished(4));
    table.come(0, 1, 2);
    table.die(0, 1);
    table.wait(Duration.ofMinutes(1));
    assertThat(table.state.world()).as("nor do they count").isNull();
    table.come(3, 4);
    table.wait(RULES.lastCall());
    assertThat(table.members()).containsExactly(2, 3, 4);
    table.die(2, 3);
    table.comeOut(4);
    table.come(5, 6);
    table.wait(RULES.lastCall());
    assertThat(table.members()).containsExactly(4, 5, 6);
  }

  @Test
  void onePendingNodeDoesNotTimeOutAll() {
    Table table = new Table(RULES.withWished(3));
    table.come(0, 1);
    table.wait(RULES.lastCall());
    assertThat(table.members()).containsExactly(0, 1);
    table.wait(Duration.ofHours(2));
    assertThat(table.isClosed()).isFalse();
    table.come(2);
    assertThat(table.isReforming()).as("it is taken in when it comes").isTrue();
  }
}
