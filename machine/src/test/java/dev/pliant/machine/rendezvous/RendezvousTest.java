package dev.pliant.machine.rendezvous;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.PliantException;
import dev.pliant.model.decision.Plan;
import dev.pliant.model.decision.Rule;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// The table in [Rendezvous], row by row, and the edges of what agents may say.
class RendezvousTest {
  private static final Duration MOMENT = Duration.ofMillis(1);
  private static final RendezvousRules RULES = RendezvousRules.of(2, 4);

  private static Duration before(Duration time) {
    return time.minus(MOMENT);
  }

  // Without a world.

  static Stream<Arguments> firstWorlds() {
    return Stream.of(
        // rules, how many came, size at once, size after the last call (0: none)
        Arguments.of("too few wait", RULES, 1, 0, 0),
        Arguments.of("enough wait for more", RULES, 2, 0, 2),
        Arguments.of("enough wait for more, still", RULES, 3, 0, 3),
        Arguments.of("the most need no last call", RULES, 4, 4, 4),
        Arguments.of("all wished need no last call", RULES.withWished(2), 2, 2, 2),
        Arguments.of("fewer than wished do", RULES.withWished(3), 2, 0, 2),
        Arguments.of("whole units", RULES.withUnit(2), 3, 0, 2),
        Arguments.of("the fewest in whole units", RULES.withUnit(4), 3, 0, 0),
        Arguments.of("the most in whole units", RendezvousRules.of(1, 5).withUnit(2), 5, 4, 4),
        Arguments.of("one alone", RendezvousRules.of(1, 1), 1, 1, 1));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("firstWorlds")
  void formsTheFirstWorld(
      String name, RendezvousRules rules, int came, int atOnce, int afterLastCall) {
    Table table = new Table(rules);
    for (int number = 0; number < came; number++) {
      table.come(number);
    }
    assertThat(size(table)).as("%s: at once", name).isEqualTo(atOnce);
    table.wait(before(rules.lastCall()));
    assertThat(size(table)).as("%s: before the last call", name).isEqualTo(atOnce);
    table.wait(MOMENT);
    assertThat(size(table)).as("%s: after it", name).isEqualTo(afterLastCall);
    table.wait(RendezvousRules.BELOW_MIN_FOR.multipliedBy(2));
    assertThat(table.isClosed()).as("nobody is given up before the first world").isFalse();
  }

  private static int size(Table table) {
    World world = table.state.world();
    return world == null ? 0 : world.size();
  }

  @Test
  void theRestWaitsAndIsCounted() {
    Table table = new Table(RULES);
    table.come(0, 1, 2, 3, 4, 5);
    assertThat(table.members()).containsExactly(0, 1, 2, 3);
    assertThat(table.waiting()).containsExactly(4, 5);
    assertThat(table.decisions.getLast().rule()).isEqualTo(Rule.WORLD_FORMED);
    assertThat(table.decisions.getLast().plan())
        .isInstanceOfSatisfying(
            Plan.FormWorld.class,
            world -> {
              assertThat(world.count()).isEqualTo(4);
              assertThat(world.first().getFirst()).hasToString("worker-0");
            });
  }

  @Test
  void oldestThatHoldsStateIsRankZero() {
    Table table = new Table(RendezvousRules.of(2, 4).withWished(4));
    table.arrive(0, 0, false);
    table.arrive(1, 0, true);
    table.arrive(2, 0, false);
    table.arrive(3, 0, true);
    assertThat(table.members()).containsExactly(1, 3, 0, 2);
    assertThat(table.world().address()).isEqualTo("127.0.0.1:4000");
  }

  @Test
  void membersOfANodeThatComeTogetherAreNeighbours() {
    Table table = new Table(RendezvousRules.of(4, 4));
    for (int number : new int[] {5, 2}) {
      Rendezvous.Met met =
          Rendezvous.arrive(
              table.state,
              Table.node(number),
              List.of(
                  Table.waiting(Table.life(10 * number, 1), 0, false),
                  Table.waiting(Table.life(10 * number + 1, 1), 0, false)));
      met.events().forEach(event -> table.state.apply(event, table.now));
    }
    table.wait(MOMENT);
    assertThat(table.members()).containsExactly(5, 5, 2, 2);
    World.Share share = Objects.requireNonNull(table.world().share(Table.node(2)));
    assertThat(share.nodeRank()).isEqualTo(1);
    assertThat(share.members()).extracting(World.Ranked::rank).containsExactly(2, 3);
    assertThat(table.world().nodes()).isEqualTo(2);
  }

  @Test
  void membersOfANodeAreNeighboursHoweverTheyCome() {
    Table table = new Table(RendezvousRules.of(6, 6));
    // As processes come that take unlike long to begin; number 3 brings the state.
    for (int number : new int[] {0, 2, 4, 5, 3, 1}) {
      MemberId id = Table.life(number, 1);
      table.met(
          Rendezvous.arrive(
              table.state, Table.node(number / 2), List.of(Table.waiting(id, 0, number == 3))));
    }

    assertThat(table.world().seats())
        .extracting(seat -> seat.member().worker().value())
        .containsExactly("worker-3", "worker-2", "worker-0", "worker-1", "worker-4", "worker-5");
    for (int node = 0; node < 3; node++) {
      World.Share share = Objects.requireNonNull(table.world().share(Table.node(node)));
      assertThat(share.members())
          .extracting(World.Ranked::rank)
          .containsExactly(2 * share.nodeRank(), 2 * share.nodeRank() + 1);
    }
  }

  @Test
  void survivorsThatSufficeDoNotWait() {
    Table table = new Table(RULES.withWished(4));
    table.come(0, 1, 2, 3);
    table.die(3);
    table.comeOut(2, 1);
    assertThat(table.world().version()).isEqualTo(1);
    table.comeOut(0);
    assertThat(table.members()).as("no last call").containsExactly(0, 1, 2);
  }

  @Test
  void ranksStayInTheOrderOfAge() {
    Table table = new Table(RendezvousRules.of(1, 4).withWished(3));
    table.come(0, 1, 2);
    table.die(0);
    table.comeOut(2, 1);
    assertThat(table.members()).containsExactly(1, 2);
    table.come(3);
    assertThat(table.isReforming()).as("all wished are there").isTrue();
    table.comeOut(2, 1);
    assertThat(table.members()).containsExactly(1, 2, 3);
  }

  // With a world.

  private static Table training(RendezvousRules rules, int... numbers) {
    Table table = new Table(rules);
    table.come(numbers);
    table.wait(rules.lastCall());
    assertThat(table.members()).hasSize(numbers.length);
    return table;
  }

  @Test
  void joinersAreTakenInAfterTheLastCall() {
    Table table = training(RULES, 0, 1);
    table.come(2);
    table.wait(before(RULES.lastCall()));
    assertThat(table.isReforming()).isFalse();
    table.wait(MOMENT);
    assertThat(table.isReforming()).isTrue();
    assertThat(table.isAborting()).isFalse();
    table.wait(Duration.ofHours(3));
    assertThat(table.isAborting()).as("a long step costs nobody anything").isFalse();
    table.comeOut(0, 1);
    assertThat(table.members()).containsExactly(0, 1, 2);
  }

  @Test
  void joinersThatFillTheWorldNeedNoLastCall() {
    Table table = training(RULES, 0, 1);
    table.come(2);
    assertThat(table.isReforming()).isFalse();
    table.come(3);
    assertThat(table.isReforming()).isTrue();
  }

  @Test
  void oneThatComesOutByItselfEndsTheWorld() {
    Table table = training(RULES, 0, 1, 2);
    table.comeOut(1);
    assertThat(table.isReforming()).isTrue();
    table.wait(before(RULES.abortAfter()));
    assertThat(table.isAborting()).isFalse();
    table.wait(MOMENT);
    assertThat(table.isAborting()).isTrue();
    table.comeOut(0);
    table.wait(RULES.leaveOutAfter().minus(RULES.abortAfter()));
    assertThat(table.members()).as("2 is left out").containsExactly(0, 1);
    assertThat(table.decisions).anyMatch(decision -> decision.rule().equals(Rule.LEFT_OUT));
    assertThat(table.arrive(2, 1, true))
        .singleElement()
        .satisfies(out -> assertThat(out.released()).isFalse());
    assertThat(table.isReforming()).as("its words change nothing").isFalse();
  }

  @Test
  void aLeftOutMemberMayJoinAsAnother() {
    Table table = training(RULES, 0, 1, 2);
    table.comeOut(0, 1);
    table.wait(RULES.leaveOutAfter());
    assertThat(table.arrive(2, 2, 0, false)).isEmpty();
    assertThat(table.waiting()).containsExactly(2);
  }

  @Test
  void survivorsOfADeathAreToldToBreakOffButNotLeftOut() {
    Table table = training(RULES, 0, 1, 2);
    table.die(2);
    assertThat(table.isReforming()).isTrue();
    table.wait(RULES.abortAfter());
    assertThat(table.isAborting()).isTrue();
    table.wait(RULES.leaveOutAfter().multipliedBy(3));
    table.comeOut(0, 1);
    assertThat(table.members()).as("a long step in its middle").containsExactly(0, 1);
  }

  @Test
  void aDrainingMemberIsReleasedWhenItComesOut() {
    Table table = training(RULES, 0, 1, 2);
    assertThat(table.drain(0)).isEmpty();
    assertThat(table.isReforming()).isTrue();
    table.comeOut(1, 2);
    assertThat(table.arrive(0, 1, true))
        .singleElement()
        .satisfies(out -> assertThat(out.released()).isTrue());
    assertThat(table.members()).containsExactly(1, 2);
    assertThat(table.arrive(0, 1, true))
        .as("said again, answered alike")
        .singleElement()
        .satisfies(out -> assertThat(out.released()).isTrue());
  }

  @Test
  void aWaitingMemberIsReleasedAtOnce() {
    Table table = new Table(RULES);
    table.come(0);
    assertThat(table.drain(0))
        .singleElement()
        .satisfies(out -> assertThat(out.released()).isTrue());
    assertThat(table.waiting()).isEmpty();
  }

  @Test
  void limitsThatForbidTheWorldEndIt() {
    Table table = training(RendezvousRules.of(1, 4), 0, 1, 2);
    table.rules(RendezvousRules.of(1, 2));
    assertThat(table.isReforming()).isTrue();
    table.comeOut(0, 1, 2);
    assertThat(table.members()).containsExactly(0, 1);
    assertThat(table.waiting()).containsExactly(2);
  }

  // Complete.

  @Test
  void theFirstToFinishCompletesTheTraining() {
    Table table = training(RULES, 0, 1);
    table.leave(1, ExitReason.SUCCEEDED);
    assertThat(table.ending().complete()).isTrue();
    assertThat(table.isReforming()).as("the others are not disturbed").isFalse();
    table.die(0);
    assertThat(table.isReforming()).isFalse();
    table.come(2);
    assertThat(table.waiting()).as("nobody waits for a world that will not come").isEmpty();
  }

  @Test
  void finishingIsHeardAfterABrokenStreamToo() {
    Table table = training(RULES, 0, 1);
    table.open(1);
    assertThat(table.isClosed()).isFalse();
    table.leave(1, ExitReason.SUCCEEDED);
    assertThat(table.ending().complete()).isTrue();
  }

  @Test
  void aDrainingMemberThatEndsCompletesNothing() {
    Table table = training(RULES, 0, 1);
    table.drain(1);
    table.leave(1, ExitReason.SUCCEEDED);
    assertThat(table.isClosed()).isFalse();
  }

  // Words that are late, repeated or wrong.

  @Test
  void repeatedWordsChangeNothing() {
    Table table = new Table(RULES);
    table.come(0, 0, 0);
    assertThat(table.waiting()).containsExactly(0);
    table.come(1);
    table.wait(RULES.lastCall());
    table.come(0, 1);
    assertThat(table.isReforming()).as("said before the world they are in").isFalse();
    table.comeOut(0);
    table.comeOut(0);
    assertThat(table.waiting()).containsExactly(0);
  }

  @Test
  void aNewAddressIsTaken() {
    Table table = new Table(RULES);
    table.come(0);
    Rendezvous.Met met =
        Rendezvous.arrive(
            table.state,
            Table.node(0),
            List.of(Standing.waits(Table.life(0, 1), 0, false, "127.0.0.1:5000")));
    met.events().forEach(event -> table.state.apply(event, table.now));
    table.come(1);
    table.wait(RULES.lastCall());
    assertThat(table.world().address()).isEqualTo("127.0.0.1:5000");
  }

  @Test
  void aLaterLifeTakesThePlaceOfTheOneBefore() {
    Table table = training(RULES, 0, 1);
    assertThat(table.arrive(0, 7, 0, false)).isEmpty();
    assertThat(table.isReforming()).isTrue();
    table.comeOut(1);
    table.wait(RULES.lastCall());
    assertThat(table.members()).as("and is younger").containsExactly(1, 0);
    assertThat(table.arrive(0, 1, 1, true))
        .singleElement()
        .satisfies(out -> assertThat(out.released()).isFalse());
    table.die(0);
    assertThat(table.isReforming()).as("the death of a life before is no news").isFalse();
  }

  @Test
  void aWorldThatAMemberNeverWasInIsRefused() {
    Table table = training(RULES, 0, 1);
    assertThatThrownBy(() -> table.arrive(0, 5, true))
        .isInstanceOfSatisfying(
            PliantException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.OUT_OF_RANGE))
        .hasMessageContaining("never in world 5");
    assertThat(table.arrive(7, 1, true)).as("a stranger from a world").hasSize(1);
    assertThatThrownBy(() -> table.open(3, Standing.trains(Table.life(0, 1), 1)))
        .hasMessageContaining("node worker-3 cannot speak for it");
  }

  @Test
  void anAgentThatOpensAnewMendsWhatWasLost() {
    Table table = training(RULES, 0, 1, 2);
    assertThat(table.open(0, Standing.trains(Table.life(0, 1), 1))).isEmpty();
    assertThat(table.isReforming()).isFalse();
    table.open(1, Table.waiting(Table.life(1, 1), 1, true));
    assertThat(table.isReforming()).as("its arrival was lost").isTrue();
    table.open(2);
    assertThat(table.state.size()).as("its leave was lost").isEqualTo(2);
    assertThat(table.open(2, Standing.trains(Table.life(2, 1), 1)))
        .singleElement()
        .satisfies(out -> assertThat(out.released()).isFalse());
    table.comeOut(0);
    assertThat(table.members()).containsExactly(0, 1);
  }

  @Test
  void theTimeWithoutAMasterDoesNotCount() {
    Table table = training(RULES, 0, 1, 2);
    table.comeOut(0, 1);
    table.restartMaster(Duration.ofHours(1));
    assertThat(table.members()).as("nobody is left out at once").hasSize(3);
    table.comeOut(2);
    assertThat(table.world().version()).isEqualTo(2);
    assertThat(table.members()).containsExactly(0, 1, 2);
  }

  @Test
  void rulesThatCannotBeAreRefused() {
    assertThatThrownBy(() -> RendezvousRules.of(0, 1)).hasMessageContaining("cannot be");
    assertThatThrownBy(() -> RendezvousRules.of(3, 2)).hasMessageContaining("cannot be");
    assertThatThrownBy(() -> RendezvousRules.of(3, 5).withUnit(6)).hasMessageContaining("unit");
    assertThatThrownBy(() -> RULES.withWished(-1)).hasMessageContaining("fewer than none");
    assertThatThrownBy(
            () -> RULES.withPatience(Duration.ofSeconds(3), Duration.ofSeconds(2), MOMENT))
        .hasMessageContaining("before they are told");
  }
}
