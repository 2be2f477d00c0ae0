package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.created;
import static dev.pliant.operator.decision.Reactions.deleted;
import static dev.pliant.operator.decision.Reactions.of;
import static dev.pliant.operator.decision.Reactions.reasons;
import static dev.pliant.operator.decision.Scene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.RefusedPod;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.operator.decision.Action.RecordPlan;
import dev.pliant.operator.decision.PodView.Stage;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class NodeRuleTest {
  private static final String W0 = "digits-worker-0";
  private static final String W1 = "digits-worker-1";
  private static final String W2 = "digits-worker-2";

  private static ScalePlanStatus recorded(Reaction reaction) {
    return of(reaction, RecordPlan.class).getFirst().status();
  }

  @Test
  void makesAPodForEachNodeOfThePlanAndRecordsThemAfterwards() {
    Reaction reaction = Scene.running().plan(List.of(W0, W1), List.of(), List.of()).decide();

    assertThat(created(reaction)).containsExactly(W0, W1);
    assertThat(reaction.actions().getLast()).isInstanceOf(RecordPlan.class);
    assertThat(recorded(reaction).createdPods()).containsExactly(W0, W1);
    assertThat(recorded(reaction).phase()).isEqualTo("Succeeded");
    assertThat(recorded(reaction).observedGeneration()).isEqualTo(4);
    assertThat(reasons(reaction)).contains("PodsCreated");
  }

  @Test
  void neverMakesAPodTwice() {
    Reaction reaction =
        Scene.running()
            .worker(1, Stage.FAILED)
            .plan(List.of(W0, W1, W2), List.of(), List.of(W0))
            .decide();

    assertThat(created(reaction)).containsExactly(W2);
    assertThat(deleted(reaction)).isEmpty();
    assertThat(recorded(reaction).createdPods()).containsExactly(W0, W1, W2);
  }

  @Test
  void forgetsWhatThePlanNamesNoMore() {
    Reaction reaction =
        Scene.running().plan(List.of(W2), List.of(W1), List.of(W0, W1, W2)).decide();

    assertThat(recorded(reaction).createdPods()).containsExactly(W2, W1);
  }

  @Test
  void recordsOnThePlanThatItHasSeenAlone() {
    Reaction reaction = Scene.running().plan(List.of(W0), List.of(), List.of()).decide();

    assertThat(of(reaction, RecordPlan.class).getFirst().version()).isEqualTo("17");
  }

  @Test
  void recordsNothingTwice() {
    Scene scene =
        Scene.running().worker(0, Stage.RUNNING).plan(List.of(W0), List.of(), List.of(W0));
    Observed seen = scene.seen();
    ScalePlanStatus status = recorded(JobDecision.decide(seen));
    PlanView plan =
        new PlanView(4, "17", java.util.Objects.requireNonNull(seen.plan()).spec(), status);

    Reaction again =
        JobDecision.decide(
            new Observed(
                seen.job(),
                plan,
                seen.pods(),
                seen.objects(),
                List.of(),
                List.of(),
                null,
                null,
                NOW.plusSeconds(5)));

    assertThat(again.actions()).isEmpty();
  }

  @Test
  void letsNodesLeaveWithTheirGraceAndOnce() {
    Scene scene =
        Scene.running().workers(2, Stage.RUNNING).plan(List.of(W0), List.of(W1), List.of(W0, W1));

    assertThat(deleted(scene.decide())).containsExactly(W1);
    assertThat(recorded(scene.decide()).phase()).isEqualTo("Scaling");
    assertThat(reasons(scene.decide())).containsExactly("PodsLeaving");

    Scene going = scene.pod(Scene.going(Scene.worker(W1, Stage.RUNNING), 30));
    assertThat(deleted(going.decide())).isEmpty();
  }

  @Test
  void aNodeThatIsToGoIsNotMadeFirst() {
    Reaction reaction = Scene.running().plan(List.of(W0), List.of(W0), List.of()).decide();

    assertThat(created(reaction)).isEmpty();
  }

  @Test
  void removesAtOnceWhatThePlanDoesNotName() {
    Reaction reaction =
        Scene.running()
            .worker(0, Stage.RUNNING)
            .worker(1, Stage.PENDING)
            .pod(Scene.going(Scene.worker(W2, Stage.RUNNING), 30))
            .plan(List.of(), List.of(), List.of())
            .decide();

    assertThat(deleted(reaction)).containsExactly(W0 + " in 1", W1 + " in 1", W2 + " in 1");
    assertThat(reasons(reaction)).containsExactly("PodsRemoved");
  }

  @Test
  void killsNobodyTwice() {
    Reaction reaction =
        Scene.running()
            .pod(Scene.going(Scene.worker(W0, Stage.RUNNING), 1))
            .plan(List.of(), List.of(), List.of())
            .decide();

    assertThat(deleted(reaction)).isEmpty();
  }

  @Test
  void keepsTheNewestTwentyThatEnded() {
    Scene scene = Scene.running().plan(List.of(), List.of(), List.of());
    for (int i = 0; i < 23; i++) {
      scene.pod(
          Scene.lived(
              Scene.worker("digits-worker-" + i, Stage.FAILED),
              NOW.minusSeconds(600),
              NOW.minusSeconds(i)));
    }

    assertThat(deleted(scene.decide()))
        .containsExactlyInAnyOrder("digits-worker-20", "digits-worker-21", "digits-worker-22");
  }

  @Test
  void leavesPodsAloneWithoutAPlan() {
    assertThat(Scene.running().workers(3, Stage.RUNNING).decide().actions()).isEmpty();
  }

  @Test
  void leavesAnOlderMastersPlanUndone() {
    Reaction reaction =
        Scene.running()
            .status(Scene.status(dev.pliant.crds.api.JobStatePhase.Running, 2, 5, null))
            .worker(1, Stage.RUNNING)
            .plan(List.of(W0), List.of(), List.of())
            .epoch(4)
            .decide();

    assertThat(reaction.actions()).isEmpty();
    assertThat(Reactions.condition(reaction, "PlanCurrent").getStatus()).isEqualTo("False");
    assertThat(Reactions.condition(reaction, "PlanCurrent").getMessage())
        .contains("epoch 4")
        .contains("5");
    assertThat(reasons(reaction)).contains("OlderMaster");
  }

  @Test
  void leavesThePodsToAMasterThatMakesThemItself() {
    Reaction reaction =
        Scene.running()
            .spec("scaler: PodScaler")
            .worker(1, Stage.RUNNING)
            .plan(List.of(W0), List.of(W1), List.of())
            .decide();

    assertThat(reaction.actions()).isEmpty();
  }

  @Test
  void waitsForAPodOfTheSameNameThatIsNotTheJobs() {
    Reaction reaction =
        Scene.running()
            .pod(Scene.foreign(Scene.worker(W0, Stage.RUNNING)))
            .plan(List.of(W0), List.of(), List.of())
            .decide();

    assertThat(created(reaction)).isEmpty();
    assertThat(deleted(reaction)).isEmpty();
    assertThat(recorded(reaction).createdPods()).isEmpty();
    assertThat(recorded(reaction).phase()).isEqualTo("Scaling");
  }

  @Test
  void triesARefusedPodAgainWhenItIsTimeAndSaysWhyItWaits() {
    Scene scene =
        Scene.running()
            .plan(List.of(W0, W1), List.of(), List.of())
            .refused(W0, "exceeded quota: pods=3", NOW.plusSeconds(7));

    Reaction reaction = scene.decide();
    assertThat(created(reaction)).as("it may be another's size").containsExactly(W1);
    assertThat(recorded(reaction).createdPods()).containsExactly(W1);
    assertThat(recorded(reaction).refusedPods())
        .as("for its master")
        .containsExactly(new RefusedPod(W0, "exceeded quota: pods=3"));
    assertThat(Reactions.condition(reaction, "PodsReady"))
        .satisfies(condition -> {
          assertThat(condition.getReason()).isEqualTo("PodRefused");
          assertThat(condition.getMessage()).contains(W0).contains("exceeded quota");
        });

    assertThat(created(scene.later(Duration.ofSeconds(7)).decide()))
        .as("one at a time, those first that were not tried yet")
        .containsExactly(W1);
  }

  @Test
  void ofManyRefusedPodsOneIsTriedAtATime() {
    Scene scene =
        Scene.running()
            .plan(List.of(W0, W1), List.of(), List.of())
            .refused(W0, "exceeded quota", NOW.plusSeconds(7))
            .refused(W1, "exceeded quota", NOW.plusSeconds(5));

    assertThat(created(scene.later(Duration.ofSeconds(5)).decide())).isEmpty();
    assertThat(created(scene.later(Duration.ofSeconds(2)).decide()))
        .as("the one that has waited longest")
        .containsExactly(W1);
  }

  @Test
  void aNameThatIsTakenKeepsNoOtherPodOut() {
    Scene scene =
        Scene.running()
            .plan(List.of(W0, W1), List.of(), List.of())
            .refused(W0, new Obstacle(Obstacle.POD, W0, "is another's", false), NOW.plusSeconds(7));

    assertThat(created(scene.decide())).containsExactly(W1);
  }

  @Test
  void makesNothingOfAJobThatMakesNoSenseButLetsGo() {
    Reaction reaction =
        Scene.running()
            .fault("spec.worker: no")
            .worker(1, Stage.RUNNING)
            .plan(List.of(W0), List.of(W1), List.of(W1))
            .decide();

    assertThat(created(reaction)).isEmpty();
    assertThat(deleted(reaction)).containsExactly(W1);
  }
}
