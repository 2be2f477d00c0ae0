package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.kubernetes.JobNames;
import org.junit.jupiter.api.Test;

final class TrialRunTest {
  private static final String REFUSED =
      "elasticjobs.elastic.iml.github.io \"digits-x\" is forbidden: exceeded quota: jobs, requested: count/jobs=1, used: count/jobs=%s, limited: count/jobs=%s.";

  @Test
  void aQuotaThatIsFullHasRoomForAJobInThePlaceOfAnother() {
    assertThat(TrialRun.makesRoom(REFUSED.formatted(3, 3))).isTrue();
    assertThat(TrialRun.makesRoom(REFUSED.formatted(4, 3))).isFalse();
    assertThat(
            TrialRun.makesRoom(
                "exceeded quota: q, requested: a=1,b=1, used: a=1,b=5, limited: a=1,b=4."))
        .isFalse();
  }

  @Test
  void isCalledWhatAJobMayBeCalled() {
    assertThat(TrialRun.nameBefore("digits")).isEqualTo("digits-");
    assertThat(TrialRun.nameBefore("d".repeat(JobNames.MAX_JOB_NAME)))
        .hasSize(JobNames.MAX_JOB_NAME - 5)
        .endsWith("d-");
  }

  @Test
  void whatAnythingElseRefusesIsRefused() {
    assertThat(TrialRun.makesRoom("admission webhook \"w\" denied the request: no.")).isFalse();
    assertThat(TrialRun.makesRoom("exceeded quota: of some other form.")).isFalse();
  }
}
