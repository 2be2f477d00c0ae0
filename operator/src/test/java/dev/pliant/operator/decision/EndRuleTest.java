package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Reactions.created;
import static dev.pliant.operator.decision.Reactions.deleted;
import static dev.pliant.operator.decision.Reactions.of;
import static dev.pliant.operator.decision.Reactions.reasons;
import static dev.pliant.operator.decision.Scene.NOW;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.operator.decision.Action.DeleteObject;
import dev.pliant.operator.decision.PodView.Stage;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

final class EndRuleTest {
  private static final String W0 = "digits-worker-0";
  private static final String W1 = "digits-worker-1";
  private static final String M0 = "digits-master-0";

  private static Scene over() {
    return Scene.running()
        .master(0, Stage.SUCCEEDED)
        .worker(0, Stage.RUNNING)
        .worker(1, Stage.SUCCEEDED)
        .plan(List.of(W0, W1, "digits-worker-2"), List.of(), List.of(W0))
        .says(JobStatePhase.Succeeded, "all 1,797 records are done");
  }

  static Stream<Arguments> policies() {
    return Stream.of(
        arguments("", List.of(W0)),
        arguments("cleanPodPolicy: Running", List.of(W0)),
        arguments("cleanPodPolicy: None", List.of()),
        arguments("cleanPodPolicy: All", List.of(W0, W1, M0)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("policies")
  void removesThePodsThatThePolicySays(String policy, List<String> wantDeleted) {
    Scene scene = policy.isEmpty() ? over() : over().spec(policy);

    assertThat(deleted(scene.decide())).containsExactlyElementsOf(wantDeleted);
    assertThat(created(scene.decide())).isEmpty();
  }

  @Test
  void releasesAllElse() {
    Reaction reaction = over().decide();

    assertThat(of(reaction, DeleteObject.class)).hasSize(JobObject.values().length);
    assertThat(reaction.status())
        .satisfies(status -> {
          assertThat(status.phase()).isEqualTo(JobStatePhase.Succeeded);
          assertThat(status.message()).isEqualTo("all 1,797 records are done");
          assertThat(status.completionTime()).isEqualTo("2026-03-01T12:00:00Z");
        });
    assertThat(Reactions.condition(reaction, "Complete").getStatus()).isEqualTo("True");
    assertThat(Reactions.condition(reaction, "Failed").getStatus()).isEqualTo("False");
    assertThat(reasons(reaction)).contains("JobSucceeded", "PodsCleaned");
  }

  @Test
  void waitsForTheMasterToLeaveButNotForEver() {
    Scene scene = over().master(0, Stage.RUNNING);

    Reaction early = scene.decide();
    assertThat(of(early, DeleteObject.class)).isEmpty();
    assertThat(deleted(early)).containsExactly(W0);
    assertThat(early.lookAgainAt()).isEqualTo(NOW.plusSeconds(60));

    Reaction late =
        scene
            .status(Scene.status(JobStatePhase.Succeeded, 1, 1, NOW.toString()))
            .later(Duration.ofSeconds(60))
            .decide();
    assertThat(of(late, DeleteObject.class)).isNotEmpty();
    assertThat(deleted(late)).containsExactly(W0, M0);
  }

  @ParameterizedTest
  @EnumSource(
      value = JobStatePhase.class,
      names = {"Succeeded", "Failed", "Stopped"})
  void staysOverWhateverBecomesOfThePlan(JobStatePhase end) {
    Reaction reaction =
        Scene.running()
            .without(M0)
            .status(Scene.status(end, 1, 1, "2026-03-01T11:00:00Z"))
            .decide();

    assertThat(created(reaction)).isEmpty();
    assertThat(Objects.requireNonNull(reaction.status()).phase()).isEqualTo(end);
    assertThat(reaction.status().completionTime()).isEqualTo("2026-03-01T11:00:00Z");
  }

  @Test
  void warnsOfAJobThatFailed() {
    Reaction reaction = over().says(JobStatePhase.Failed, "worker-0 failed 4 times").decide();

    assertThat(Reactions.condition(reaction, "Failed").getMessage())
        .isEqualTo("worker-0 failed 4 times");
    assertThat(reaction.notices()).contains(Notice.warning("JobFailed", "worker-0 failed 4 times"));
  }

  @Test
  void deletesTheJobAfterItsTtl() {
    Scene scene =
        over().spec("ttl: 100").status(Scene.status(JobStatePhase.Succeeded, 1, 1, NOW.toString()));

    assertThat(of(scene.later(Duration.ofSeconds(99)).decide(), Action.DeleteJob.class)).isEmpty();
    assertThat(scene.decide().lookAgainAt()).isEqualTo(NOW.plusSeconds(100));
    assertThat(of(scene.later(Duration.ofSeconds(1)).decide(), Action.DeleteJob.class)).hasSize(1);
  }

  @Test
  void keepsAJobWithoutTtl() {
    Reaction reaction =
        over()
            .status(Scene.status(JobStatePhase.Succeeded, 1, 1, NOW.toString()))
            .later(Duration.ofDays(365))
            .decide();

    assertThat(of(reaction, Action.DeleteJob.class)).isEmpty();
    assertThat(reaction.lookAgainAt()).isNull();
  }

  @Test
  void cleansUpAfterAMasterThatMadeThePodsItself() {
    assertThat(deleted(over().spec("scaler: PodScaler").decide())).containsExactly(W0);
  }

  @Test
  void suspendingAJobThatIsOverChangesNothing() {
    Reaction reaction = over().spec("suspend: true").decide();

    assertThat(Objects.requireNonNull(reaction.status()).phase())
        .isEqualTo(JobStatePhase.Succeeded);
  }
}
