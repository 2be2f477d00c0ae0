package dev.pliant.master.platform.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.kubernetes.JobNames;
import dev.pliant.model.JobId;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JobStartTest {
  private static final JobNames NAMES = new JobNames(new JobId("team-a", "digits"));

  @ParameterizedTest(name = "status {0}: {1}")
  @CsvSource(
      delimiter = '|',
      value = {
        "                      | 0",
        "status: {}            | 0",
        "status: {masterEpoch: 7} | 7",
      })
  void theOperatorHasHeardOfAnEpoch(String status, long want) {
    ElasticJobResource job =
        Serialization.unmarshal(
            """
            ---
            {apiVersion: elastic.iml.github.io/v1alpha1, kind: ElasticJob,
             metadata: {name: digits, namespace: team-a}, spec: {}%s}
            """
                .formatted(status == null ? "" : ", " + status),
            ElasticJobResource.class);

    assertThat(JobStart.heardEpoch(job)).isEqualTo(want);
  }

  @Test
  void eachPodOfTheMasterMayHaveTakenAnEpoch() {
    assertThat(JobStart.mastersBefore(NAMES, Map.of())).isZero();
    assertThat(JobStart.mastersBefore(NAMES, Map.of("PLIANT_POD_NAME", "digits-master-0")))
        .isZero();
    assertThat(JobStart.mastersBefore(NAMES, Map.of("PLIANT_POD_NAME", "digits-master-3")))
        .isEqualTo(3);
    assertThat(JobStart.mastersBefore(NAMES, Map.of("PLIANT_POD_NAME", "somebody"))).isZero();
  }
}
