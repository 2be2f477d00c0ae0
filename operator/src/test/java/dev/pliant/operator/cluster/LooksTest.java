package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.operator.decision.Action;
import dev.pliant.operator.decision.Notice;
import dev.pliant.operator.decision.Reaction;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LooksTest {
  private static final Instant NOW = Instant.parse("2030-01-01T00:00:00Z");
  private static final Instant LATER = NOW.plusSeconds(60);
  private static final Action SHOWN = new Action.CreateMaster(0);
  private static final Action SEEN_IN_TIME = new Action.DeleteJob();

  private int looks;

  @SuppressWarnings("NullAway.Init") // set by each test
  private Looks.Turn turn;

  @Test
  void nothingToDoIsSeenOnceAndLeftToTime() throws Exception {
    until(done(LATER));

    assertThat(looks).isEqualTo(1);
    assertThat(again(0)).isEqualTo(LATER);
  }

  @Test
  void whatWasDoneIsLookedAtUntilNothingIsLeft() throws Exception {
    until(done(LATER, SHOWN), done(LATER, SHOWN), done(LATER));

    assertThat(looks).isEqualTo(3);
    assertThat(again(0)).isEqualTo(LATER);
    assertThat(turn.reaction().notices())
        .extracting(Notice::message)
        .containsExactly("1 done", "0 done");
  }

  @Test
  void aJobThatIsNeverDoneIsLookedAtAgainAtOnce() throws Exception {
    until(done(LATER, SHOWN), done(LATER, SHOWN), done(LATER, SHOWN), done(LATER, SHOWN));

    assertThat(looks).isEqualTo(Looks.IN_A_ROW);
    assertThat(again(1)).isEqualTo(NOW.plusMillis(50));
    assertThat(again(2)).isEqualTo(NOW.plusMillis(100));
    assertThat(again(100)).isEqualTo(NOW.plusMillis(12_800));
    assertThat(turn.reaction().notices()).hasSize(1);
  }

  @Test
  void aJobWhosePodsAreRefusedIsLookedAtAgainAtOnce() throws Exception {
    Looks.Look refused = new Looks.Look(reaction(LATER, SHOWN), false);
    until(refused, refused, refused, refused);

    assertThat(again(1)).isEqualTo(NOW.plusMillis(50));
    assertThat(turn.reaction().notices()).isEmpty();
  }

  @Test
  void whatOnlyTheClusterShowsIsWaitedFor() throws Exception {
    until(done(null, SHOWN, SEEN_IN_TIME));

    assertThat(looks).isEqualTo(1);
    assertThat(again(0)).isNull();
  }

  private void until(Looks.Look... all) throws InterruptedException {
    var left = new ArrayDeque<>(Arrays.asList(all));
    turn =
        Looks.until(() -> {
          looks++;
          return left.remove();
        });
  }

  private @Nullable Instant again(int unfinished) {
    return turn.again(NOW, unfinished);
  }

  private static Looks.Look done(@Nullable Instant again, Action... actions) {
    return new Looks.Look(reaction(again, actions), true);
  }

  private static Reaction reaction(@Nullable Instant again, Action... actions) {
    Notice notice = new Notice(Notice.Kind.NORMAL, "Looked", actions.length + " done");
    return new Reaction(List.of(actions), null, Reaction.News.NONE, List.of(notice), again);
  }
}
