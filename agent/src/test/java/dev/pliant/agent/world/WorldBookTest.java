package dev.pliant.agent.world;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.Closed;
import dev.pliant.protocol.v1.Excluded;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.Member;
import dev.pliant.protocol.v1.Rank;
import dev.pliant.protocol.v1.Reform;
import dev.pliant.protocol.v1.World;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class WorldBookTest {
  private static final WorkerId A = new WorkerId("a");
  private static final WorkerId B = new WorkerId("b");
  private static final Arrival FRESH = new Arrival(0, false, "h:1");

  private final WorldBook book = new WorldBook("node", 1_000);

  private static Arrival after(long version) {
    return new Arrival(version, true, "h:1");
  }

  private Member arrive(WorkerId worker, Arrival arrival) {
    List<MeetRequest> words = book.asked(Map.of(worker, arrival));
    assertThat(words).hasSize(1);
    return words.getFirst().getArrive().getMembers(0);
  }

  private void form(long version, Member... members) {
    World.Builder world =
        World.newBuilder().setVersion(version).setSize(members.length).setNodes(1);
    for (int i = 0; i < members.length; i++) {
      world.addRanks(
          Rank.newBuilder()
              .setWorker(members[i].getWorker())
              .setIncarnation(members[i].getIncarnation())
              .setRank(i));
    }
    book.heard(MeetResponse.newBuilder().setWorld(world).build());
  }

  private void exclude(Member member, boolean released) {
    book.heard(
        MeetResponse.newBuilder()
            .setExcluded(
                Excluded.newBuilder()
                    .setWorker(member.getWorker())
                    .setIncarnation(member.getIncarnation())
                    .setReleased(released)
                    .setWhy("why"))
            .build());
  }

  private void reform(long version, boolean abort) {
    book.heard(
        MeetResponse.newBuilder()
            .setReform(Reform.newBuilder().setVersion(version).setAbort(abort).setWhy("why"))
            .build());
  }

  private long versionOf(WorkerId worker) {
    return book.answer(worker) instanceof WorldAnswer.Inside(Placement placement)
        ? placement.version()
        : 0;
  }

  @Test
  void askingAgainSaysNothingAndIsAnsweredAlike() {
    Member a = arrive(A, FRESH);
    assertThat(book.asked(Map.of(A, FRESH))).isEmpty();
    assertThat(book.answer(A)).isEqualTo(new WorldAnswer.Wait());
    form(1, a);
    assertThat(book.asked(Map.of(A, FRESH))).isEmpty();
    assertThat(versionOf(A)).isEqualTo(1);
    assertThat(book.answer(A)).isEqualTo(book.answer(A));
  }

  @Test
  void changedWordsAreSaidAgain() {
    arrive(A, FRESH);
    assertThat(arrive(A, new Arrival(0, true, "h:2")).getAddress()).isEqualTo("h:2");
  }

  @Test
  void severalArriveTogetherAndAreNumberedByTheirRanks() {
    Map<WorkerId, Arrival> both = new LinkedHashMap<>();
    both.put(A, FRESH);
    both.put(B, FRESH);
    List<MeetRequest> words = book.asked(both);
    assertThat(words).hasSize(1);
    Member a = words.getFirst().getArrive().getMembers(0);
    Member b = words.getFirst().getArrive().getMembers(1);
    form(3, b, a);
    assertThat(book.answer(A))
        .isInstanceOfSatisfying(
            WorldAnswer.Inside.class, in -> assertThat(in.placement().localRank()).isEqualTo(1));
  }

  @Test
  void worldsThatAreNotNewerAndOtherLivesChangeNothing() {
    Member a = arrive(A, FRESH);
    form(2, a);
    arrive(A, after(2));
    form(2, a);
    form(1, a);
    assertThat(versionOf(A)).isZero();
    form(3, a.toBuilder().setIncarnation(5).build());
    assertThat(versionOf(A)).isZero();
    form(3, a);
    assertThat(versionOf(A)).isEqualTo(3);
    form(4, a);
    assertThat(versionOf(A)).as("it has not asked").isEqualTo(3);
  }

  @Test
  void reformRisesAndNeverFalls() {
    form(1, arrive(A, FRESH));
    assertThat(book.reforming(A, 1).level()).isZero();
    reform(1, false);
    assertThat(book.reforming(A, 1).level()).isEqualTo(1);
    reform(1, true);
    reform(1, false);
    assertThat(book.reforming(A, 1).level()).isEqualTo(2);
    assertThat(book.reforming(A, 2).level()).isZero();
  }

  @Test
  void aWorldThatWasFollowedOrWhoseMemberIsOutEndsAtOnce() {
    Member a = arrive(A, FRESH);
    form(1, a);
    arrive(A, after(1));
    form(2, a);
    assertThat(book.reforming(A, 1).abort()).isTrue();
    assertThat(book.reforming(A, 2).level()).isZero();
    exclude(a, false);
    assertThat(book.reforming(A, 2).abort()).isTrue();
  }

  @Test
  void oneThatWasGivenUpBeginsAgainAsAnotherOnceItWasTold() {
    Member a = arrive(A, FRESH);
    exclude(a, false);
    assertThat(book.asked(Map.of(A, FRESH))).as("not told yet").isEmpty();
    assertThat(book.answer(A)).isInstanceOf(WorldAnswer.Excluded.class);
    book.told(A);
    assertThat(book.asked(Map.of(A, after(1)))).as("the same words").isEmpty();
    assertThat(book.answer(A)).isInstanceOf(WorldAnswer.Excluded.class);
    Member again = arrive(A, FRESH);
    assertThat(again.getIncarnation()).isGreaterThan(a.getIncarnation());
    exclude(a, true);
    assertThat(book.answer(A)).as("about the life before").isEqualTo(new WorldAnswer.Wait());
  }

  @Test
  void aReleasedOneStaysReleased() {
    Member a = arrive(A, FRESH);
    exclude(a, true);
    book.told(A);
    assertThat(book.asked(Map.of(A, FRESH))).isEmpty();
    assertThat(book.answer(A)).isInstanceOf(WorldAnswer.Released.class);
    assertThat(book.left(A, ExitReason.SUCCEEDED, "")).isEmpty();
  }

  @Test
  void closedIsForThoseWhoWait() {
    form(1, arrive(A, FRESH));
    arrive(B, FRESH);
    book.heard(MeetResponse.newBuilder().setClosed(Closed.newBuilder().setComplete(true)).build());
    assertThat(versionOf(A)).isEqualTo(1);
    assertThat(book.answer(B)).isEqualTo(new WorldAnswer.Closed(true, ""));
    arrive(A, after(1));
    assertThat(book.answer(A)).isEqualTo(new WorldAnswer.Closed(true, ""));
  }

  @Test
  void leavingIsSaidOnceAndWithEveryNewStream() {
    Member a = arrive(A, FRESH);
    assertThat(book.left(B, ExitReason.KILLED, "")).as("never arrived").isEmpty();
    List<MeetRequest> words = book.left(A, ExitReason.OOM, "m");
    assertThat(words).hasSize(1);
    assertThat(words.getFirst().getLeave().getIncarnation()).isEqualTo(a.getIncarnation());
    assertThat(book.left(A, ExitReason.OOM, "m")).isEmpty();
    assertThat(book.opening().get(0).getOpen().getMembersCount()).isZero();
    assertThat(book.opening().get(1).hasLeave()).isTrue();
    assertThat(arrive(A, FRESH).getIncarnation()).isGreaterThan(a.getIncarnation());
  }

  @Test
  void drainIsSaidForEveryMemberAndWithEveryNewStream() {
    form(1, arrive(A, FRESH));
    assertThat(book.drain()).hasSize(1).allMatch(MeetRequest::hasDrain);
    assertThat(book.drain()).isEmpty();
    assertThat(book.opening()).hasSize(2);
    assertThat(book.asked(Map.of(B, FRESH))).as("none joins a node that goes").isEmpty();
    assertThat(book.answer(B)).isInstanceOf(WorldAnswer.Released.class);
    assertThat(versionOf(A)).as("trains on").isEqualTo(1);
  }

  @Test
  void theEndOfTheNodeIsTheEndOfAll() {
    form(1, arrive(A, FRESH));
    arrive(B, FRESH);
    assertThat(book.end("why")).hasSize(2).allMatch(MeetRequest::hasLeave);
    assertThat(book.asked(Map.of(A, after(1)))).isEmpty();
    assertThat(book.answer(A)).isEqualTo(new WorldAnswer.Released("why"));
    assertThat(book.reforming(A, 1).abort()).isTrue();
    assertThat(book.members()).isEmpty();
  }
}
