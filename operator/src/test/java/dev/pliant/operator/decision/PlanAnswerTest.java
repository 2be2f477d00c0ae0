package dev.pliant.operator.decision;

import static dev.pliant.operator.decision.Scene.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.operator.decision.PlanAnswer.OwnerJob;
import dev.pliant.operator.decision.PlanAnswer.UserPlan;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class PlanAnswerTest {
  private static UserPlan plan(@Nullable ScalePlanStatus status) {
    return new UserPlan("digits", "team", 2, NOW.minusSeconds(60), status);
  }

  private static OwnerJob job(String spec, JobStatePhase phase) {
    Scene scene = Scene.running();
    if (!spec.isEmpty()) {
      scene.spec(spec);
    }
    return new OwnerJob(scene.seen().job().spec(), Scene.status(phase, 1, 1, null));
  }

  @Test
  void aPlanForNoJobIsToldSoAndWaits() {
    ScalePlanStatus answer =
        Objects.requireNonNull(PlanAnswer.of(plan(null), null, NOW), "no answer");

    assertThat(answer.phase()).isEqualTo("Pending");
    assertThat(answer.reason())
        .isEqualTo(
            "there is no ElasticJob 'digits' in namespace 'team'; this is taken up once there is one");
    assertThat(answer.observedGeneration()).as("its master is yet to take it up").isNull();
    assertThat(PlanAnswer.of(plan(answer), null, NOW)).as("said once").isNull();
  }

  @Test
  void aPlanForAJobThatRestsWaitsForIt() {
    ScalePlanStatus answer =
        PlanAnswer.of(plan(null), job("suspend: true", JobStatePhase.Suspended), NOW);

    assertThat(Objects.requireNonNull(answer).phase()).isEqualTo("Pending");
    assertThat(answer.reason()).startsWith("job 'digits' is suspended");
  }

  @ParameterizedTest
  @CsvSource({"Succeeded", "Failed"})
  void aPlanForAJobThatIsOverHasFailed(JobStatePhase phase) {
    ScalePlanStatus answer = PlanAnswer.of(plan(null), job("", phase), NOW);

    assertThat(Objects.requireNonNull(answer).phase()).isEqualTo("Failed");
    assertThat(answer.reason()).contains("is over (" + phase + ")");
    assertThat(answer.observedGeneration()).isEqualTo(2);
    assertThat(answer.finishTime()).isEqualTo(NOW.toString());
    assertThat(plan(answer).answered()).isTrue();
  }

  @Test
  void ofAJobThatRunsItIsTheMastersToSay() {
    assertThat(PlanAnswer.of(plan(null), job("", JobStatePhase.Running), NOW)).isNull();
  }

  @Test
  void whatAMasterAnsweredStaysAnswered() {
    ScalePlanStatus done = new ScalePlanStatus("Succeeded", "done", 2L, null, null, null);

    assertThat(PlanAnswer.of(plan(done), null, NOW)).isNull();
    ScalePlanStatus older = new ScalePlanStatus("Succeeded", "done", 1L, null, null, null);
    ScalePlanStatus waits =
        Objects.requireNonNull(PlanAnswer.of(plan(older), null, NOW), "it was edited since");
    ScalePlanStatus merged =
        new ScalePlanStatus(waits.phase(), waits.reason(), 1L, null, NOW.toString(), null);
    assertThat(PlanAnswer.of(plan(merged), null, NOW)).as("said once").isNull();
  }

  @Test
  void aPlanForAJobThatMakesNoSenseWaitsForIt() {
    OwnerJob refused =
        new OwnerJob(
            Scene.running().seen().job().spec(),
            Scene.firstSight().fault("spec.worker: no").decide().status());

    ScalePlanStatus answer = PlanAnswer.of(plan(null), refused, NOW);

    assertThat(Objects.requireNonNull(answer).phase()).isEqualTo("Pending");
    assertThat(answer.reason()).startsWith("job 'digits' has not begun");
  }
}
