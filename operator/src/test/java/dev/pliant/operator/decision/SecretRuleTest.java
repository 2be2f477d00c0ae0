package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.deleted;
import static dev.pliant.operator.decision.Scene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.operator.decision.Notice.Kind;
import dev.pliant.operator.decision.PodView.Stage;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SecretRuleTest {
  private static final String W0 = "digits-worker-0";
  private static final String W1 = "digits-worker-1";

  private static Scene scene() {
    return Scene.running()
        .plan(List.of(W0, W1), List.of(), List.of(W0, W1))
        .worker(0, Stage.RUNNING)
        .pod(Scene.lived(Scene.worker(W1, Stage.RUNNING), NOW, NOW));
  }

  @Test
  void podsThatKnowAnotherSecretAreToldToGo() {
    Reaction reaction = scene().secretSince(NOW.minusSeconds(30)).decide();

    assertThat(deleted(reaction)).containsExactly("digits-master-0", W0);
    assertThat(reaction.notices())
        .anySatisfy(notice -> {
          assertThat(notice.reason()).isEqualTo("SecretReplaced");
          assertThat(notice.kind()).isEqualTo(Kind.WARNING);
        });
  }

  @Test
  void podsThatWereMadeWithItStay() {
    assertThat(deleted(scene().secretSince(NOW.minusSeconds(600)).decide())).isEmpty();
  }

  @Test
  void aClockThatWasAheadSendsNobodyAwayAgainAndAgain() {
    Reaction reaction = scene().secretSince(NOW.plusSeconds(600)).decide();

    assertThat(deleted(reaction)).isEmpty();
    assertThat(reaction.lookAgainAt()).isEqualTo(NOW.plusSeconds(600));
  }

  @Test
  void theyAreToldOnce() {
    Scene scene =
        scene()
            .secretSince(NOW.minusSeconds(30))
            .pod(Scene.going(Scene.worker(W0, Stage.RUNNING), 30))
            .pod(Scene.going(Scene.view("digits-master-0", "master", Stage.RUNNING), 30));

    assertThat(deleted(scene.decide())).isEmpty();
  }
}
