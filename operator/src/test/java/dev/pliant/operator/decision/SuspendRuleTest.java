package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.created;
import static dev.pliant.operator.decision.Reactions.deleted;
import static dev.pliant.operator.decision.Scene.NOW;
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

  /// Its master has had its time.
  private static Scene late() {
    return suspended().status(Scene.suspended("Unknown", NOW.minus(SuspendRule.MASTER_RELEASES)));
  }

  @Test
  void givesTheMasterTimeToLetItsNodesGo() {
    Reaction reaction = suspended().worker(0, Stage.RUNNING).worker(1, Stage.RUNNING).decide();

    assertThat(deleted(reaction)).isEmpty();
    assertThat(created(reaction)).isEmpty();
    assertThat(reaction.lookAgainAt()).isEqualTo(NOW.plus(SuspendRule.MASTER_RELEASES));
    assertThat(phase(reaction)).isEqualTo(JobStatePhase.Stopping);
    assertThat(Reactions.condition(reaction, "Suspended").getStatus()).isEqualTo("Unknown");
  }

  @Test
  void letsThoseNodesGoThatTheMasterLetsGo() {
    Reaction reaction =
        suspended()
            .plan(List.of(W1), List.of(W0), List.of(W0, W1))
            .says(JobStatePhase.Suspended, "it is suspended")
            .worker(0, Stage.RUNNING)
            .worker(1, Stage.RUNNING)
            .decide();

    assertThat(deleted(reaction)).containsExactly(W0);
    assertThat(created(reaction)).isEmpty();
  }

  @Test
  void thenTheMasterGoes() {
    Scene scene =
        suspended()
            .plan(List.of(), List.of(W0), List.of(W0))
            .says(JobStatePhase.Suspended, "it is suspended");
    assertThat(deleted(scene.decide())).as("a node is yet to end").isEmpty();

    assertThat(deleted(scene.plan(List.of(), List.of(), List.of()).decide())).containsExactly(M0);
  }

  @Test
  void aJobThatHasNoNodesIsNotOneThatRests() {
    Scene scene = suspended().plan(List.of(), List.of(), List.of()).says(JobStatePhase.Running, "");

    assertThat(deleted(scene.decide())).isEmpty();
  }

  @Test
  void waitsForAMasterForAWhileOnly() {
    Scene scene = late().worker(0, Stage.RUNNING).worker(1, Stage.FAILED);

    assertThat(deleted(scene.at(NOW.minusSeconds(1)).decide())).isEmpty();
    Reaction reaction = scene.at(NOW).decide();
    assertThat(deleted(reaction)).containsExactly(W0);
    assertThat(created(reaction)).isEmpty();
    assertThat(phase(reaction)).isEqualTo(JobStatePhase.Stopping);
  }

  @Test
  void waitsForNoMasterThatDoesNotWork() {
    Scene starts = suspended().master(0, Stage.PENDING).worker(0, Stage.RUNNING);
    Scene goes =
        suspended()
            .pod(Scene.going(Scene.view(M0, "master", Stage.RUNNING), 30))
            .worker(0, Stage.RUNNING);

    assertThat(deleted(starts.decide())).containsExactly(W0);
    assertThat(deleted(goes.decide())).containsExactly(W0);
  }

  @Test
  void aSecondSuspensionHasItsOwnTime() {
    Scene scene =
        suspended()
            .status(Scene.suspended("False", NOW.minusSeconds(3_600)))
            .worker(0, Stage.RUNNING);

    Reaction reaction = scene.decide();

    assertThat(deleted(reaction)).isEmpty();
    assertThat(Reactions.condition(reaction, "Suspended").getLastTransitionTime())
        .isEqualTo(NOW.toString());
  }

  @Test
  void keepsALateMasterWhileANodeIsStillGoing() {
    Reaction reaction = late().pod(Scene.going(Scene.worker(W0, Stage.RUNNING), 30)).decide();

    assertThat(reaction.actions()).isEmpty();
    assertThat(phase(reaction)).isEqualTo(JobStatePhase.Stopping);
  }

  @Test
  void waitsForNoMachineThatIsGone() {
    Scene scene = late().pod(Scene.going(Scene.worker(W0, Stage.RUNNING), 30));

    assertThat(scene.decide().lookAgainAt()).isEqualTo(NOW.plusSeconds(60));
    Reaction reaction = scene.at(NOW.plusSeconds(60)).decide();
    assertThat(deleted(reaction)).containsExactly(M0);
    assertThat(Reactions.condition(reaction, "Suspended").getMessage())
        .isEqualTo(
            "digits-worker-0 was told to go and has not said that it ended; if its machine is gone, 'kubectl delete pod digits-worker-0 --force' lets the job rest.");
  }

  @Test
  void nodesGoThoughTheMachineOfTheMasterIsGone() {
    Scene scene =
        late()
            .spec("scaler: PodScaler")
            .pod(Scene.going(Scene.view(M0, "master", Stage.RUNNING), 30))
            .worker(0, Stage.RUNNING);

    assertThat(deleted(scene.decide())).isEmpty();
    assertThat(deleted(scene.at(NOW.plusSeconds(60)).decide())).containsExactly(W0);
  }

  @Test
  void thenALateMasterGoes() {
    Reaction reaction = late().worker(1, Stage.FAILED).decide();

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
    assertThat(deleted(suspended().spec("scaler: PodScaler").worker(0, Stage.RUNNING).decide()))
        .as("it has its time, too")
        .isEmpty();
    Scene scene = late().spec("scaler: PodScaler").worker(0, Stage.RUNNING);

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

  @Test
  void isPendingUntilItsNextMasterSpeaks() {
    Reaction reaction =
        Scene.running()
            .status(Scene.suspended("True", NOW.minusSeconds(3_600)))
            .says(JobStatePhase.Suspended, "it is suspended")
            .decide();

    assertThat(phase(reaction)).isEqualTo(JobStatePhase.Pending);
    assertThat(Objects.requireNonNull(reaction.status()).message()).isNotEqualTo("it is suspended");
    assertThat(Reactions.condition(reaction, "Suspended").getStatus()).isEqualTo("False");
    assertThat(Reactions.condition(reaction, "Suspended").getLastTransitionTime())
        .as("by this its master knows which nodes went for the rest")
        .isEqualTo(NOW.toString());
  }
}
