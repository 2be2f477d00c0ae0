package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.created;
import static dev.pliant.operator.decision.Reactions.deleted;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.operator.decision.PodView.Stage;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class SuspendRuleTest {
  private static final String W0 = "digits-worker-0";
  private static final String W1 = "digits-worker-1";
  private static final String M0 = "digits-master-0";

  private static Scene suspended() {
    return Scene.running()
        .spec("suspend: true")
        .plan(List.of(W0, W1, "digits-worker-2"), List.of(), List.of(W0, W1));
  }

  private static JobStatePhase phase(Reaction reaction) {
    return Objects.requireNonNull(Objects.requireNonNull(reaction.status()).phase());
  }

  @Test
  void letsTheNodesGoFirst() {
    Reaction reaction = suspended().worker(0, Stage.RUNNING).worker(1, Stage.FAILED).decide();

    assertThat(deleted(reaction)).containsExactly(W0);
    assertThat(created(reaction)).isEmpty();
    assertThat(phase(reaction)).isEqualTo(JobStatePhase.Stopping);
  }

  @Test
  void keepsTheMasterWhileANodeIsStillGoing() {
    Reaction reaction = suspended().pod(Scene.going(Scene.worker(W0, Stage.RUNNING), 30)).decide();

    assertThat(reaction.actions()).isEmpty();
    assertThat(phase(reaction)).isEqualTo(JobStatePhase.Stopping);
  }

  @Test
  void thenTheMaster() {
    Reaction reaction = suspended().worker(1, Stage.FAILED).decide();

    assertThat(deleted(reaction)).containsExactly(M0);
  }

  @Test
  void isSuspendedWhenNothingRuns() {
    Reaction reaction = suspended().without(M0).worker(1, Stage.FAILED).decide();

    assertThat(reaction.actions()).isEmpty();
    assertThat(phase(reaction)).isEqualTo(JobStatePhase.Suspended);
    assertThat(Reactions.condition(reaction, "Suspended").getStatus()).isEqualTo("True");
    assertThat(Reactions.reasons(reaction)).containsExactly("JobSuspended");
  }

  @Test
  void startsNothingOfAJobThatIsSuspendedFromTheBeginning() {
    Reaction reaction = Scene.firstSight().spec("suspend: true").decide();

    assertThat(reaction.actions()).isEmpty();
    assertThat(phase(reaction)).isEqualTo(JobStatePhase.Suspended);
  }

  @Test
  void sendsAMasterAwayFirstThatWouldReplaceItsNodes() {
    Scene scene = suspended().spec("scaler: PodScaler").worker(0, Stage.RUNNING);

    assertThat(deleted(scene.decide())).containsExactly(M0);
    assertThat(deleted(scene.without(M0).decide())).containsExactly(W0);
  }

  @Test
  void goesOnWithTheNextMaster() {
    Reaction reaction =
        Scene.running()
            .without(M0)
            .status(Scene.status(JobStatePhase.Suspended, 1, 1, null))
            .plan(List.of(W0), List.of(), List.of(W0))
            .decide();

    assertThat(created(reaction)).containsExactly("master-1");
  }
}
