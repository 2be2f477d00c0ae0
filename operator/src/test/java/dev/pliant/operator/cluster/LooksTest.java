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

  @Test
  void nothingToDoIsSeenOnceAndLeftToTime() throws Exception {
    Reaction last = until(done(LATER));

    assertThat(looks).isEqualTo(1);
    assertThat(last.lookAgainAt()).isEqualTo(LATER);
  }

  @Test
  void whatWasDoneIsLookedAtUntilNothingIsLeft() throws Exception {
    Reaction last = until(done(LATER, SHOWN), done(LATER, SHOWN), done(LATER));

    assertThat(looks).isEqualTo(3);
    assertThat(last.lookAgainAt()).isEqualTo(LATER);
    assertThat(last.notices()).extracting(Notice::message).containsExactly("1 done", "0 done");
  }

  @Test
  void aJobThatIsNeverDoneIsLookedAtAgainAtOnce() throws Exception {
    Reaction last =
        until(done(LATER, SHOWN), done(LATER, SHOWN), done(LATER, SHOWN), done(LATER, SHOWN));

    assertThat(looks).isEqualTo(Looks.IN_A_ROW);
    assertThat(last.lookAgainAt()).isEqualTo(NOW);
  }

  @Test
  void aJobWhosePodsAreRefusedIsLookedAtAgainAtOnce() throws Exception {
    Looks.Look refused = new Looks.Look(reaction(LATER, SHOWN), false);
    Reaction last = until(refused, refused, refused, refused);

    assertThat(last.lookAgainAt()).isEqualTo(NOW);
    assertThat(last.notices()).isEmpty();
  }

  @Test
  void whatOnlyTheClusterShowsIsWaitedFor() throws Exception {
    Reaction last = until(done(null, SHOWN, SEEN_IN_TIME));

    assertThat(looks).isEqualTo(1);
    assertThat(last.lookAgainAt()).isNull();
  }

  private Reaction until(Looks.Look... all) throws InterruptedException {
    var left = new ArrayDeque<>(Arrays.asList(all));
    return Looks.until(
        () -> {
          looks++;
          return left.remove();
        },
        NOW);
  }

  private static Looks.Look done(@Nullable Instant again, Action... actions) {
    return new Looks.Look(reaction(again, actions), true);
  }

  private static Reaction reaction(@Nullable Instant again, Action... actions) {
    Notice notice = new Notice(Notice.Kind.NORMAL, "Looked", actions.length + " done");
    return new Reaction(List.of(actions), null, Reaction.News.NONE, List.of(notice), again);
  }
}
