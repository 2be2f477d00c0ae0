package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.condition;
import static dev.pliant.operator.decision.Reactions.reasons;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.operator.decision.PodView.Stage;
import dev.pliant.operator.decision.Reaction.News;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class StatusRuleTest {
  private static final List<String> WORKERS =
      List.of("digits-worker-0", "digits-worker-1", "digits-worker-2");

  private static Scene planned() {
    return Scene.running().plan(WORKERS, List.of(), WORKERS);
  }

  private static JobStatus status(Reaction reaction) {
    return Objects.requireNonNull(reaction.status());
  }

  @Test
  void saysWhatTheMasterSaysAndCountsPods() {
    JobStatus status =
        status(
            planned()
                .workers(2, Stage.RUNNING)
                .worker(2, Stage.PENDING)
                .says(JobStatePhase.Running, "step 12")
                .epoch(3)
                .decide());

    assertThat(status.phase()).isEqualTo(JobStatePhase.Running);
    assertThat(status.message()).isEqualTo("step 12");
    assertThat(status.ready()).isEqualTo("2/3");
    assertThat(status.replicas()).isEqualTo(3);
    assertThat(status.readyReplicas()).isEqualTo(2);
    assertThat(status.minReplicas()).isEqualTo(1);
    assertThat(status.maxReplicas()).isEqualTo(5);
    assertThat(status.restarts()).isEqualTo(2);
    assertThat(status.masterEpoch()).isEqualTo(3);
    assertThat(status.strategy()).isEqualTo("Local");
    assertThat(status.mode()).isEqualTo("manual");
    assertThat(status.startTime()).isEqualTo("2026-03-01T12:00:00Z");
  }

  @Test
  void aBadJobSaysWhyAndMakesNothing() {
    Reaction reaction =
        Scene.firstSight().fault("spec.worker.template needs a 'command'.").decide();

    assertThat(reaction.actions()).isEmpty();
    assertThat(condition(reaction, "Accepted"))
        .satisfies(accepted -> {
          assertThat(accepted.getStatus()).isEqualTo("False");
          assertThat(accepted.getReason()).isEqualTo("BadJob");
          assertThat(accepted.getMessage()).isEqualTo("spec.worker.template needs a 'command'.");
          assertThat(accepted.getObservedGeneration()).isEqualTo(1);
        });
    assertThat(status(reaction).message()).isEqualTo("spec.worker.template needs a 'command'.");
    assertThat(status(reaction).phase()).isEqualTo(JobStatePhase.Pending);
    assertThat(reaction.notices())
        .containsExactly(Notice.warning("BadJob", "spec.worker.template needs a 'command'."));
  }

  @Test
  void warnsWhereTheJournalIsVolatile() {
    Condition without = condition(Scene.firstSight().decide(), "JournalVolatile");
    Condition with =
        condition(
            Scene.firstSight().spec("storage: {claim: journals}").decide(), "JournalVolatile");

    assertThat(without.getStatus()).isEqualTo("True");
    assertThat(without.getMessage()).contains("spec.storage");
    assertThat(with.getStatus()).isEqualTo("False");
  }

  static Stream<Arguments> troubles() {
    return Stream.of(
        arguments("ImagePullBackOff", "Back-off pulling image \"x\"", "imagePullSecrets"),
        arguments("ErrImagePull", "not found", "Check the image's name"),
        arguments("Unschedulable", "0/1 nodes are available", "add machines"),
        arguments("CreateContainerConfigError", "secret \"s\" not found", "Make the ConfigMap"),
        arguments("CrashLoopBackOff", "", "kubectl logs digits-worker-1 --previous"));
  }

  @ParameterizedTest
  @MethodSource("troubles")
  void saysWhyAPodDoesNotStartAndWhatToDo(String reason, String message, String wantAdvice) {
    Reaction reaction =
        planned()
            .worker(0, Stage.RUNNING)
            .pod(Scene.waits(Scene.worker("digits-worker-1", Stage.PENDING), reason, message))
            .decide();

    Condition ready = condition(reaction, "PodsReady");
    assertThat(ready.getStatus()).isEqualTo("False");
    assertThat(ready.getReason()).isEqualTo(reason);
    assertThat(ready.getMessage()).contains("digits-worker-1").contains(message, wantAdvice);
    assertThat(reasons(reaction)).contains(reason);
  }

  @Test
  void saysOfOthersThatTheyDoNotStartButNotHowMany() {
    Scene one =
        planned()
            .pod(
                Scene.waits(Scene.worker("digits-worker-0", Stage.PENDING), "Unschedulable", "no"));
    Scene two =
        one.pod(Scene.waits(Scene.worker("digits-worker-1", Stage.PENDING), "Unschedulable", "no"));
    String ofTwo = condition(two.decide(), "PodsReady").getMessage();
    Scene three =
        two.pod(Scene.waits(Scene.worker("digits-worker-2", Stage.PENDING), "Unschedulable", "no"));

    assertThat(ofTwo).endsWith("Others do not start, either.");
    assertThat(condition(three.decide(), "PodsReady").getMessage()).isEqualTo(ofTwo);
  }

  @Test
  void aPodThatJustStartsIsNoTrouble() {
    Reaction reaction =
        planned()
            .pod(
                Scene.waits(
                    Scene.worker("digits-worker-0", Stage.PENDING), "ContainerCreating", ""))
            .decide();

    assertThat(condition(reaction, "PodsReady").getReason()).isEqualTo("Starting");
    assertThat(reasons(reaction)).doesNotContain("Starting");
  }

  @Test
  void podsAreReadyWhenEveryNodeOfThePlanRuns() {
    assertThat(condition(planned().workers(3, Stage.RUNNING).decide(), "PodsReady").getStatus())
        .isEqualTo("True");
    assertThat(condition(planned().workers(2, Stage.RUNNING).decide(), "PodsReady").getStatus())
        .isEqualTo("False");
  }

  @Test
  void podsAreReadyOnlyForWhatTheMasterHasHeard() {
    Scene scene = planned().workers(3, Stage.RUNNING);

    Reaction before = scene.generations(5, 4).decide();
    assertThat(condition(before, "PodsReady").getStatus()).isEqualTo("True");
    assertThat(condition(before, "PodsReady").getObservedGeneration()).isEqualTo(4);
    assertThat(condition(before, "Accepted").getObservedGeneration()).isEqualTo(5);

    Reaction after = scene.status(status(before)).generations(5, 5).decide();
    assertThat(condition(after, "PodsReady").getObservedGeneration()).isEqualTo(5);
    assertThat(after.news()).as("somebody may wait for it").isEqualTo(News.SUBSTANCE);
  }

  @Test
  void noPodIsReadyWhereThePlanNamesNone() {
    Reaction reaction = Scene.running().plan(List.of(), List.of(), List.of()).decide();

    assertThat(condition(reaction, "PodsReady").getStatus()).isEqualTo("False");
  }

  @Test
  void aConditionsTimeChangesWithItsStatusOnly() {
    Scene scene = planned().workers(3, Stage.RUNNING);
    Reaction first = scene.decide();
    Reaction same = scene.status(status(first)).later(Duration.ofMinutes(1)).decide();
    Reaction other = scene.status(status(same)).worker(2, Stage.PENDING).decide();

    assertThat(same.news()).isEqualTo(News.NONE);
    assertThat(condition(other, "PodsReady").getLastTransitionTime())
        .isEqualTo("2026-03-01T12:01:00Z");
    assertThat(condition(other, "Accepted").getLastTransitionTime())
        .isEqualTo("2026-03-01T12:00:00Z");
    assertThat(other.news()).isEqualTo(News.SUBSTANCE);
  }

  @Test
  void countsAloneMayWait() {
    Scene scene = planned().worker(0, Stage.RUNNING);
    Reaction first = scene.decide();
    Reaction second = scene.status(status(first)).worker(1, Stage.RUNNING).decide();

    assertThat(first.news()).isEqualTo(News.SUBSTANCE);
    assertThat(second.news()).isEqualTo(News.COUNTS);
    assertThat(status(second).ready()).isEqualTo("2/3");
  }

  @Test
  void tellsOfATroubleOnce() {
    Scene scene =
        planned()
            .pod(
                Scene.waits(
                    Scene.worker("digits-worker-1", Stage.PENDING), "ImagePullBackOff", "no"));
    Reaction first = scene.decide();

    assertThat(reasons(first)).contains("ImagePullBackOff");
    assertThat(reasons(scene.status(status(first)).decide())).isEmpty();
  }

  @Test
  void aKubeletThatTriesAndWaitsInTurnIsOneTrouble() {
    PodView pod = Scene.worker("digits-worker-1", Stage.PENDING);
    Scene scene = planned().pod(Scene.waits(pod, "ErrImagePull", "not found"));
    Reaction first = scene.decide();

    Reaction second =
        scene
            .status(status(first))
            .pod(Scene.waits(pod, "ImagePullBackOff", "Back-off pulling image"))
            .decide();

    assertThat(reasons(first)).contains("ErrImagePull");
    assertThat(reasons(second)).isEmpty();
  }

  @Test
  void aJobOfWhichNothingRunsIsPendingWhateverItsMasterSaidLast() {
    Scene scene =
        planned()
            .says(JobStatePhase.Running, "3 workers train")
            .without("digits-worker-0")
            .without("digits-worker-1")
            .without("digits-worker-2")
            .pod(
                Scene.waits(
                    Scene.view("digits-master-0", "master", Stage.PENDING),
                    "Unschedulable",
                    "0/3 nodes are available"));

    assertThat(status(scene.decide()).phase()).isEqualTo(JobStatePhase.Pending);
    assertThat(status(scene.decide()).message()).contains("0/3 nodes are available");
    assertThat(status(scene.worker(0, Stage.RUNNING).decide()).phase())
        .as("a worker trains on without its master")
        .isEqualTo(JobStatePhase.Running);
  }

  @Test
  void aRefusedMasterIsWhatThePeopleReadFirst() {
    Reaction reaction =
        Scene.firstSight()
            .refused("digits-master-0", "exceeded quota: pods=3", Scene.NOW.plusSeconds(4))
            .decide();

    assertThat(condition(reaction, "MasterReady").getReason()).isEqualTo("PodRefused");
    assertThat(status(reaction).message())
        .startsWith("digits-master-0 was refused: exceeded quota: pods=3.");
  }

  @Test
  void aMasterThatDoesNotStartIsSaidToo() {
    Reaction reaction =
        Scene.running()
            .status(Scene.status(JobStatePhase.Pending, 1, 0, null))
            .pod(
                Scene.waits(
                    Scene.view("digits-master-0", "master", Stage.PENDING),
                    "ErrImageNeverPull",
                    "image is not present"))
            .decide();

    assertThat(condition(reaction, "MasterReady").getReason()).isEqualTo("ErrImageNeverPull");
    assertThat(status(reaction).phase()).isEqualTo(JobStatePhase.Pending);
    assertThat(status(reaction).message()).contains("image is not present");
  }
}
