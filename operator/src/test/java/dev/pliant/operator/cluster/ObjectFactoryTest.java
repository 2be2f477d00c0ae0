package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.operator.decision.JobObject;
import org.junit.jupiter.api.Test;

final class ObjectFactoryTest {
  @Test
  void aJobThatMovesToItsMachinesNetworkGetsAnotherPolicyAndNothingElse() {
    ElasticJob plain = job("hostNetwork: false");
    ElasticJob onHost = job("hostNetwork: true");

    for (JobObject object : JobObject.values()) {
      boolean same =
          ObjectFactory.revision(object, plain).equals(ObjectFactory.revision(object, onHost));
      assertThat(same).as(object.word()).isEqualTo(object != JobObject.NETWORK_POLICY);
    }
  }

  private static ElasticJob job(String pod) {
    return JobFile.parse(
        "job.yaml",
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits, namespace: team}
        spec: {worker: {template: {spec: {%s, containers: [{name: main, command: [x]}]}}}}
        """
            .formatted(pod));
  }
}
