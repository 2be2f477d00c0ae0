package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.created;
import static dev.pliant.operator.decision.Reactions.deleted;
import static dev.pliant.operator.decision.Reactions.of;
import static dev.pliant.operator.decision.Reactions.reasons;
import static dev.pliant.operator.decision.Scene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.operator.decision.Action.ApplyObject;
import dev.pliant.operator.decision.PodView.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

final class MasterRuleTest {
  @Test
  void makesWhatAJobNeedsAtFirstSightAndItsMasterLast() {
    Reaction reaction = Scene.firstSight().spec("distributionStrategy: parameter_server").decide();

    assertThat(reaction.actions().stream().filter(ApplyObject.class::isInstance))
        .containsExactlyElementsOf(
            List.of(JobObject.values()).stream().<Action>map(ApplyObject::new).toList());
    assertThat(reaction.actions().getLast()).isEqualTo(new Action.CreateMaster(0));
    assertThat(reaction.status())
        .satisfies(status -> {
          assertThat(status.phase()).isEqualTo(JobStatePhase.Pending);
          assertThat(status.master()).isEqualTo("digits-master-0");
          assertThat(status.masterStarts()).isEqualTo(1);
          assertThat(status.selector()).isEqualTo("pliant.dev/job=digits,pliant.dev/role=worker");
        });
    assertThat(reasons(reaction)).containsExactly("MasterCreated");
  }

  @Test
  void givesNamesOnlyToParameterServers() {
    assertThat(Scene.firstSight().decide().actions())
        .contains(new ApplyObject(JobObject.MASTER_SERVICE))
        .doesNotContain(new ApplyObject(JobObject.NODES_SERVICE));
  }

  @Test
  void leavesAJobAloneThatHasAllItNeeds() {
    Reaction reaction = Scene.running().decide();

    assertThat(reaction.actions()).isEmpty();
  }

  @Test
  void makesAgainWhatSomebodyDeletedAndRenewsWhatAnOlderOperatorMade() {
    Reaction reaction =
        Scene.running()
            .object(JobObject.MASTER_SERVICE, Presence.MISSING)
            .object(JobObject.ROLE, Presence.OUTDATED)
            .decide();

    assertThat(reaction.actions())
        .containsExactly(
            new ApplyObject(JobObject.ROLE), new ApplyObject(JobObject.MASTER_SERVICE));
  }

  @Test
  void waitsForWhatAJobOfTheSameNameLeftBehind() {
    Reaction reaction = Scene.firstSight().object(JobObject.SECRET, Presence.FOREIGN).decide();

    assertThat(created(reaction)).isEmpty();
    assertThat(of(reaction, ApplyObject.class)).doesNotContain(new ApplyObject(JobObject.SECRET));
    assertThat(reaction.lookAgainAt()).isEqualTo(NOW.plusSeconds(2));

    Reaction pod =
        Scene.firstSight()
            .pod(Scene.foreign(Scene.view("digits-master-0", "master", Stage.RUNNING)))
            .decide();
    assertThat(created(pod)).isEmpty();
  }

  @Test
  void replacesAMasterThatIsGoneAtOnceUnderANewNumber() {
    Reaction gone = Scene.running().without("digits-master-0").decide();
    Reaction going =
        Scene.running()
            .pod(Scene.going(Scene.view("digits-master-0", "master", Stage.RUNNING), 30))
            .decide();

    assertThat(created(gone)).containsExactly("master-1");
    assertThat(created(going)).containsExactly("master-1");
    assertThat(Objects.requireNonNull(going.status()).masterStarts()).isEqualTo(2);
    assertThat(reasons(going)).contains("MasterCreated");
  }

  @Test
  void takesTheNumberFromThePodsWhereTheStatusIsOlder() {
    Reaction reaction = Scene.running().without("digits-master-0").master(7, Stage.FAILED).decide();

    assertThat(created(reaction)).containsExactly("master-8");
    assertThat(Objects.requireNonNull(reaction.status()).masterStarts()).isEqualTo(9);
  }

  @Test
  void keepsTheNewestOfTwoMasters() {
    Reaction reaction = Scene.running().master(1, Stage.PENDING).decide();

    assertThat(deleted(reaction)).containsExactly("digits-master-0");
    assertThat(created(reaction)).isEmpty();
  }

  @Test
  void givesAMasterThatEndedWellTimeToBeHeard() {
    PodView ended =
        Scene.lived(
            Scene.view("digits-master-0", "master", Stage.SUCCEEDED),
            NOW.minusSeconds(600),
            NOW.minusSeconds(1));

    Reaction early = Scene.running().pod(ended).decide();
    assertThat(created(early)).isEmpty();
    assertThat(early.lookAgainAt()).isEqualTo(NOW.plusSeconds(9));

    Reaction late = Scene.running().pod(ended).later(Duration.ofSeconds(9)).decide();
    assertThat(created(late)).containsExactly("master-1");
  }

  @Test
  void waitsLongerEachTimeAMasterEndsSoon() {
    Scene scene = Scene.running().without("digits-master-0");
    for (int i = 0; i < 3; i++) {
      scene.pod(
          Scene.lived(
              Scene.view("digits-master-" + i, "master", Stage.FAILED),
              NOW.minusSeconds(30 - 10 * i),
              NOW.minusSeconds(20 - 10 * i)));
    }

    assertThat(created(scene.decide())).isEmpty();
    assertThat(scene.decide().lookAgainAt()).isEqualTo(NOW.plusSeconds(8));
    assertThat(created(scene.later(Duration.ofSeconds(8)).decide())).containsExactly("master-3");
  }

  @Test
  void forgetsMastersThatEndedLongAgo() {
    Scene scene = Scene.running();
    for (int i = 0; i < 8; i++) {
      scene.master(i, i < 7 ? Stage.FAILED : Stage.RUNNING);
    }

    assertThat(deleted(scene.decide())).containsExactly("digits-master-1", "digits-master-0");
  }

  @Test
  void anOutdatedObjectThatCannotBeRenewedKeepsNobodyFromWorking() {
    Reaction reaction =
        Scene.running()
            .object(JobObject.ROLE, Presence.OUTDATED)
            .refused("role", "attempting to grant extra privileges", NOW.plusSeconds(4))
            .plan(List.of("digits-worker-0"), List.of(), List.of())
            .decide();

    assertThat(reaction.actions())
        .doesNotContain(new ApplyObject(JobObject.ROLE))
        .anyMatch(Action.CreateNode.class::isInstance);
    assertThat(reaction.lookAgainAt()).isEqualTo(NOW.plusSeconds(4));
    assertThat(Reactions.condition(reaction, "PodsReady"))
        .satisfies(condition -> {
          assertThat(condition.getReason()).isEqualTo("ObjectRefused");
          assertThat(condition.getMessage())
              .startsWith("The job's role was refused: attempting to grant extra privileges.");
        });
  }

  @Test
  void triesARefusedMasterAgainWhenItIsTime() {
    Scene scene =
        Scene.firstSight().refused("digits-master-0", "exceeded quota", NOW.plusSeconds(4));

    assertThat(created(scene.decide())).isEmpty();
    assertThat(scene.decide().lookAgainAt()).isEqualTo(NOW.plusSeconds(4));
    assertThat(created(scene.later(Duration.ofSeconds(4)).decide())).containsExactly("master-0");
  }

  @Test
  void startsNoMasterWhileSomebodyElseHasTheNameOfAnObject() {
    Scene scene =
        Scene.firstSight()
            .object(JobObject.MASTER_SERVICE, Presence.MISSING)
            .refused("master service", "a Service 'digits-master' is there", NOW.plusSeconds(4));

    Reaction reaction = scene.decide();

    assertThat(created(reaction)).isEmpty();
    assertThat(of(reaction, Action.ApplyObject.class))
        .doesNotContain(new Action.ApplyObject(JobObject.MASTER_SERVICE));
    assertThat(reaction.lookAgainAt()).isEqualTo(NOW.plusSeconds(4));
    assertThat(of(scene.later(Duration.ofSeconds(4)).decide(), Action.ApplyObject.class))
        .contains(new Action.ApplyObject(JobObject.MASTER_SERVICE));
  }

  @Test
  void doesNothingForAJobThatIsBeingDeleted() {
    assertThat(Scene.firstSight().deleting().decide()).isEqualTo(Reaction.nothing());
  }

  @Test
  void fillsInTheSizeOnce() {
    Reaction first = Scene.firstSight().workers("minReplicas: 2, ").decide();
    Reaction second = Scene.firstSight().workers("minReplicas: 2, replicas: 2, ").decide();

    assertThat(of(first, Action.FillReplicas.class)).containsExactly(new Action.FillReplicas(2));
    assertThat(reasons(first)).contains("ReplicasFilledIn");
    assertThat(of(second, Action.FillReplicas.class)).isEmpty();
  }
}
