package dev.pliant.operator.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.kubernetes.Images;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.security.SecureRandom;
import java.time.InstantSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JobReaderTest {
  private static final ObjectFactory FACTORY =
      new ObjectFactory(
          new Images("m", "a", Images.DEFAULT_PULL_POLICY),
          new SecureRandom(),
          InstantSource.system());

  @ParameterizedTest
  @ValueSource(strings = {"env", "args", "volumeMounts", "resources", "ports"})
  void aKeyThatIsLeftEmptyIsNoFault(String key) {
    JobReader read =
        JobReader.read(job("{name: main, command: [x], %s: }".formatted(key)), FACTORY);

    assertThat(read.fault()).isNull();
  }

  @Test
  void aContainerThatLeavesItsCommandEmptyIsToldSo() {
    JobReader read = JobReader.read(job("{name: main, command: }"), FACTORY);

    assertThat(read.fault()).contains("container 'main' of role 'worker' has no command");
  }

  @Test
  void whateverGoesWrongIsSaidOfTheJob() {
    ElasticJobResource job = job("{name: main, command: [x]}");
    job.getMetadata().setNamespace(null); // As no API server has it, and no reader expects it.

    JobReader read = JobReader.read(job, FACTORY);

    assertThat(read.job()).isNull();
    assertThat(read.fault())
        .startsWith("the job's spec cannot be read")
        .contains("NullPointerException");
  }

  private static ElasticJobResource job(String container) {
    return Serialization.unmarshal(
        """
        apiVersion: elastic.iml.github.io/v1alpha1
        kind: ElasticJob
        metadata: {name: digits, namespace: team, uid: u-1, generation: 1}
        spec: {worker: {template: {spec: {containers: [%s]}}}}
        """
            .formatted(container),
        ElasticJobResource.class);
  }
}
