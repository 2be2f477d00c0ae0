package dev.pliant.cli.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.cli.jobs.JobInfo.State;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.model.JobId;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.JobPhase;
import io.fabric8.kubernetes.client.utils.Serialization;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class ClusterFollowTest {
  private static final JobId JOB = new JobId("team", "digits");

  @ParameterizedTest
  @CsvSource({
    "SUCCEEDED, SUCCEEDED",
    "FAILED, FAILED",
    "STOPPED, STOPPED",
    "RUNNING,",
    "STOPPING,"
  })
  void aMastersLastWordSaysHowTheJobEnded(String phase, State want) {
    JobSnapshot heard =
        JobSnapshot.of(
            GetJobResponse.newBuilder().setPhase(JobPhase.valueOf("JOB_PHASE_" + phase)).build());

    assertThat(ClusterFollow.end(heard).orElse(null)).isEqualTo(want);
  }

  @Test
  void whoHeardNothingKnowsNothing() {
    assertThat(ClusterFollow.end(null)).isEmpty();
  }

  @Test
  void saysWhatMayHaveBecomeOfAJobThatIsGone() {
    assertThat(ClusterFollow.gone(JOB, job("", "ttl: 0")))
        .contains(
            "it was deleted, or it had ended and its 'spec.ttl' was over; how it ended is not");
    assertThat(ClusterFollow.gone(JOB, job("", "suspend: false")))
        .isEqualTo("job team/digits is gone: it was deleted, and how it ended is not known.");
    assertThat(
            ClusterFollow.gone(JOB, job(", deletionTimestamp: '2026-01-01T00:00:00Z'", "ttl: 0")))
        .isEqualTo("job team/digits was deleted before it had ended.");
  }

  private static ElasticJobResource job(String metadata, String spec) {
    return Serialization.unmarshal(
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits, namespace: team%s}
        spec: {%s}
        """
            .formatted(metadata, spec),
        ElasticJobResource.class);
  }
}
