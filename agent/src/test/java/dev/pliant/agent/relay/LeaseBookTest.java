package dev.pliant.agent.relay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.pliant.agent.socket.Answer.Refusal;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.HeldLease;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LeaseBookTest {
  private static final long A = 1;
  private static final long B = 2;
  private static final long MILLI = 1_000_000;

  private final LeaseBook book = new LeaseBook("train", 8);
  private long now;

  static Shard shard(long number, long lease) {
    return Shard.newBuilder().setNumber(number).setLease(lease).setEnd(1).build();
  }

  static ShardReport done(Shard shard) {
    return ShardReport.newBuilder().setNumber(shard.getNumber()).setLease(shard.getLease()).build();
  }

  private static WorkResponse leased(long... numbers) {
    WorkResponse.Builder answer = WorkResponse.newBuilder().setState(LeaseState.LEASE_STATE_LEASED);
    LongStream.of(numbers).forEach(number -> answer.addShards(shard(number, 1)));
    return answer.build();
  }

  /// Brings the book to where the process has trained a shard in no time, with `numbers` ahead.
  private void withAhead(long... numbers) {
    book.asked(now);
    assertThat(book.open("w", 1, now).getWant()).isEqualTo(2);
    book.answered(leased(1_000), now);
    book.report(A, List.of(done(hand(A))));
    book.asked(now);
    assertThat(book.message(1, now).orElseThrow().getWant()).isEqualTo(8);
    book.answered(leased(numbers), now);
  }

  private Shard hand(long connection) {
    return book.hand(connection, now).orElseThrow();
  }

  @Test
  void asksForNothingBeforeTheProcessDoes() {
    assertThat(book.open("w", 0, now).getWant()).isZero();
    book.answered(WorkResponse.getDefaultInstance(), now);
    assertThat(book.message(0, now)).isEmpty();
  }

  @ParameterizedTest(name = "{0} ahead allowed, {1} ahead, {2} waiting: wants {3}")
  @CsvSource({
    "8, 0, 0, 8", "8, 0, 1, 8", "8, 3, 0, 5", "8, 4, 0, 0", "8, 8, 0, 0", "1, 0, 0, 1",
    "1, 1, 0, 0", "0, 0, 0, 0", "0, 0, 1, 1", "0, 0, 3, 1", "3, 1, 0, 2", "3, 2, 0, 0",
  })
  void wantsMoreBelowHalf(int leaseAhead, int ahead, int waiting, int want) {
    LeaseBook filled = new LeaseBook("train", leaseAhead);
    filled.asked(now);
    filled.open("w", 1, now);
    filled.answered(leased(100), now);
    filled.hand(A, now);
    filled.asked(now); // Trained in no time: the full number may be ahead.
    if (ahead > 0) {
      assertThat(filled.message(0, now)).isPresent();
      filled.answered(leased(LongStream.range(0, ahead).toArray()), now);
    }
    assertThat(filled.ahead()).isEqualTo(ahead);
    int asked = filled.message(waiting, now).map(WorkRequest::getWant).orElse(0);
    assertThat(asked).isEqualTo(want);
  }

  @Test
  void handsOutInOrderAndEachOnce() {
    withAhead(5, 3);
    assertThat(hand(A).getNumber()).isEqualTo(5);
    assertThat(hand(B).getNumber()).isEqualTo(3);
    assertThat(book.hand(A, now)).isEmpty();
    book.message(1, now);
    book.answered(leased(5), now);
    assertThat(book.hand(A, now)).as("the same lease again").isEmpty();
  }

  @Test
  void reportsAreSentOnceAndKeptUntilAnswered() {
    withAhead(1, 2);
    book.report(A, List.of(done(hand(A)), done(hand(A))));
    WorkRequest sent = book.message(0, now).orElseThrow();
    assertThat(sent.getReportsList()).extracting(ShardReport::getNumber).containsExactly(1L, 2L);
    assertThat(book.message(0, now)).isEmpty();
    assertThat(book.settled()).isFalse();
    book.answered(leased(), now);
    assertThat(book.settled()).isTrue();
    assertThat(book.held()).isZero();
  }

  @Test
  void lostReportsAreSentAgainInTheirOrderAfterOpeningWithAllThatIsHeld() {
    withAhead(1, 2, 3, 4);
    Shard one = hand(A);
    Shard two = hand(A);
    hand(A);
    book.report(A, List.of(done(one)));
    assertThat(book.message(0, now)).isPresent();
    book.report(A, List.of(done(two)));
    assertThat(book.message(0, now)).isPresent();
    book.lost();
    WorkRequest open = book.open("w", 0, now);
    assertThat(open.getOpen().getHeldList())
        .extracting(HeldLease::getNumber)
        .containsExactly(1L, 2L, 3L, 4L);
    assertThat(open.getOpen().getWorker()).isEqualTo("w");
    assertThat(book.message(0, now).orElseThrow().getReportsList())
        .extracting(ShardReport::getNumber)
        .containsExactly(1L, 2L);
  }

  private static HeldLease held(long number) {
    return HeldLease.newBuilder().setNumber(number).setLease(1).build();
  }

  @Test
  void revokedShardsAreDroppedUnlessTheProcessHasThem() {
    withAhead(1, 2, 3);
    hand(A);
    book.lost();
    book.open("w", 1, now);
    assertThat(book.hand(A, now)).as("in doubt until the master has spoken").isEmpty();
    book.answered(WorkResponse.newBuilder().addRevoked(held(1)).addRevoked(held(2)).build(), now);
    assertThat(hand(A).getNumber()).isEqualTo(3);
    assertThat(book.inHand()).isEqualTo(2);
  }

  @Test
  void handsOutWhatIsAheadWhileTheMasterIsAway() {
    withAhead(1, 2);
    book.lost();
    assertThat(hand(A).getNumber()).isEqualTo(1);
  }

  @Test
  void refusedReportIsToldToTheConnectionThatMadeIt() {
    withAhead(1, 2);
    book.report(B, List.of(done(hand(A)), done(hand(A))));
    book.message(0, now);
    book.answered(
        WorkResponse.newBuilder()
            .addOutcomes(ReportOutcome.REPORT_OUTCOME_UNSPECIFIED)
            .addOutcomes(ReportOutcome.REPORT_OUTCOME_REFUSED)
            .addRefusals("late")
            .build(),
        now);
    assertThat(book.takeRefusals(A)).isEmpty();
    assertThat(book.takeRefusals(B)).containsExactly(new Refusal(2, "late"));
    assertThat(book.takeRefusals(B)).isEmpty();
    assertThat(book.settled()).isTrue();
  }

  @Test
  void refusedReportMakesWhatIsAheadSuspect() {
    withAhead(1, 2, 3);
    book.report(A, List.of(done(hand(A))));
    book.message(0, now);
    book.answered(
        WorkResponse.newBuilder()
            .addOutcomes(ReportOutcome.REPORT_OUTCOME_REFUSED)
            .addRefusals("late")
            .build(),
        now);
    assertThat(book.suspect()).isTrue();
    assertThat(book.hand(A, now)).isEmpty();
    book.lost();
    assertThat(book.hand(A, now)).as("until the master has said what is left").isEmpty();
    book.open("w", 1, now);
    book.answered(WorkResponse.newBuilder().addRevoked(held(2)).build(), now);
    assertThat(book.suspect()).isFalse();
    assertThat(hand(A).getNumber()).isEqualTo(3);
  }

  @Test
  void reportOfALeaseThatIsNotInHandChangesNothing() {
    withAhead(1, 2);
    Shard one = hand(A);
    assertThatThrownBy(() -> book.report(A, List.of(done(one), done(shard(9, 1)))))
        .isInstanceOf(PliantException.class)
        .extracting(e -> ((PliantException) e).code())
        .isEqualTo(ErrorCode.UNKNOWN_LEASE);
    assertThat(book.inHand()).isEqualTo(1);
    long before = book.reportCount();
    book.report(A, List.of(done(one)));
    book.report(A, List.of(done(one)));
    assertThat(book.reportCount()).as("a repeated one counts once").isEqualTo(before + 1);
    book.message(0, now);
    book.answered(leased(), now);
    book.report(A, List.of(done(one)));
    assertThat(book.reportCount()).isEqualTo(before + 1);
  }

  @Test
  void waitIsAskedAgainOnlyForAProcessThatWaitsAndInItsTime() {
    book.asked(now);
    book.open("w", 1, now);
    book.answered(
        WorkResponse.newBuilder().setState(LeaseState.LEASE_STATE_WAIT).setRetryAfterMs(70).build(),
        now);
    assertThat(book.message(0, now + 70 * MILLI)).isEmpty();
    assertThat(book.askAgainAt(0)).isEmpty();
    assertThat(book.message(1, now + 69 * MILLI)).isEmpty();
    assertThat(book.askAgainAt(1)).contains(now + 70 * MILLI);
    assertThat(book.message(1, now + 70 * MILLI)).isPresent();
  }

  @Test
  void endIsAskedAgainOnlyWhenTheProcessAsks() {
    book.asked(now);
    book.open("w", 1, now);
    book.answered(WorkResponse.newBuilder().setState(LeaseState.LEASE_STATE_END).build(), now);
    assertThat(book.message(0, now)).isEmpty();
    assertThat(book.message(1, now).orElseThrow().getWant()).isPositive();
  }

  @Test
  void atMostEightMessagesAreUnderWay() {
    withAhead(1);
    List<Shard> shards = new ArrayList<>();
    shards.add(hand(A));
    for (long number = 2; number <= 20; number++) {
      book.message(1, now);
      book.answered(leased(number), now);
      shards.add(hand(A));
    }
    for (Shard shard : shards) {
      book.report(A, List.of(done(shard)));
      book.message(0, now);
      assertThat(book.underWay()).isLessThanOrEqualTo(LeaseBook.MAX_UNDER_WAY);
    }
    assertThat(book.underWay()).isEqualTo(LeaseBook.MAX_UNDER_WAY);
    book.answered(leased(), now);
    assertThat(book.message(0, now).orElseThrow().getReportsCount())
        .as("what had to wait goes out together")
        .isGreaterThan(1);
  }

  @Test
  void endingGivesBackWhatIsAheadAlsoWhatComesLate() {
    withAhead(1, 2);
    hand(A);
    assertThat(book.message(1, now)).isPresent();
    book.finish();
    WorkRequest back = book.message(1, now).orElseThrow();
    assertThat(back.getWant()).isZero();
    assertThat(back.getReportsList())
        .extracting(ShardReport::getNumber, ShardReport::getFate)
        .containsExactly(tuple(2L, ShardFate.SHARD_FATE_RETURNED));
    book.answered(leased(3), now);
    assertThat(book.hand(A, now)).isEmpty();
    book.answered(
        WorkResponse.newBuilder().addOutcomes(ReportOutcome.REPORT_OUTCOME_REQUEUED).build(), now);
    assertThat(book.idle()).isFalse();
    assertThat(book.message(0, now).orElseThrow().getReports(0).getNumber()).isEqualTo(3);
    assertThat(book.inHand()).as("left to the end of the worker").isEqualTo(1);
  }

  @Test
  void connectionThatIsGoneGivesBackWhatItHadInHand() {
    withAhead(1, 2);
    hand(A);
    Shard two = hand(B);
    book.drop(A, "gone");
    WorkRequest back = book.message(0, now).orElseThrow();
    assertThat(back.getReportsList())
        .extracting(ShardReport::getNumber, ShardReport::getFate)
        .containsExactly(tuple(1L, ShardFate.SHARD_FATE_RETURNED));
    book.report(B, List.of(done(two)));
  }

  @Test
  void newLeaseOfAShardReplacesTheOldOneAhead() {
    withAhead(1);
    book.message(1, now);
    book.answered(WorkResponse.newBuilder().addShards(shard(1, 2)).build(), now);
    assertThat(hand(A).getLease()).isEqualTo(2);
    assertThat(book.hand(A, now)).isEmpty();
  }

  @Test
  void answerThatCannotBeOneChangesNothing() {
    assertThatThrownBy(() -> book.answered(leased(), now)).hasMessage("an answer to nothing");
    withAhead(1);
    book.report(A, List.of(done(hand(A))));
    int want = book.message(0, now).orElseThrow().getWant();
    long[] tooMany = LongStream.rangeClosed(10, 10 + want).toArray();
    assertThatThrownBy(() -> book.answered(leased(tooMany), now))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() ->
            book.answered(
                WorkResponse.newBuilder()
                    .addOutcomes(ReportOutcome.REPORT_OUTCOME_REFUSED)
                    .addOutcomes(ReportOutcome.REPORT_OUTCOME_REFUSED)
                    .build(),
                now))
        .hasMessage("2 outcomes for 1 reports");
    assertThat(book.underWay()).isEqualTo(1);
  }

  @Test
  void neverHoldsMoreThanAMessageCanName() {
    LeaseBook greedy = new LeaseBook("train", 1_024);
    greedy.asked(now);
    greedy.open("w", 1, now);
    long number = 0;
    int want = 2;
    while (want > 0) {
      long from = number;
      greedy.answered(leased(LongStream.range(from, from + want).toArray()), now);
      number += want;
      while (greedy.hand(A, now).isPresent()) {
        greedy.asked(now);
      }
      want = greedy.message(1, now).map(WorkRequest::getWant).orElse(0);
    }
    assertThat(greedy.held()).isEqualTo(LeaseBook.MAX_HELD);
    assertThat(greedy.full()).isTrue();
  }
}
