package dev.pliant.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.api.CleanPodPolicy;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/// A job that a cluster keeps means what the same job means in a file.
final class JobOfClusterTest {
  private static final String JOB =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata:
        name: digits
        namespace: team-a
        labels: {pliant.dev/scenario: digits}
        annotations: {note: "kept"}
      spec:
        distributionStrategy: ring-allreduce
        resourceLimits: {cpu: 6, memory: 8192Mi}
        envs:
          A: "1"
          B: {value: b}
          C: {valueFrom: {fieldRef: {fieldPath: metadata.name}}}
        checkpoint: {claim: models, every: 50}
        parameterServer:
          replicas: 1
          template: {spec: {containers: [{name: main, command: [ps]}]}}
        worker:
          replicas: 2
          restartCount: 3
          priority: 1
          template:
            metadata: {annotations: {a: b}}
            spec:
              unknownToUs: {deep: [1, 2.5, true, null]}
              containers:
                - name: main
                  command: [python3, train.py]
                  resources: {limits: {cpu: 0.5, memory: 3Gi}}
      """;

  @Test
  void meansTheSameAsInAFile() {
    assertThat(JobFile.of(resource(JOB))).isEqualTo(JobFile.parse("job.yaml", JOB));
  }

  @Test
  void whatTheClusterAddedIsNoPartOfIt() {
    ElasticJobResource resource = resource(JOB);
    resource.getMetadata().setUid("1");
    resource.getMetadata().setGeneration(7L);
    resource.getMetadata().setFinalizers(List.of("x/y"));
    resource.getMetadata().setAdditionalProperty("later", "field");

    assertThat(JobFile.of(resource)).isEqualTo(JobFile.parse("job.yaml", JOB));
    assertThat(JobFile.of(resource).id()).isEqualTo(new JobId("team-a", "digits"));
  }

  @Test
  void theNumberThatKubectlScaleWritesWins() {
    String scaled = JOB + "  replicaSpecs: {worker: {replicas: 5}}\n";

    for (ElasticJob job : List.of(JobFile.of(resource(scaled)), JobFile.parse("x", scaled))) {
      assertThat(job.spec().worker().replicas()).isEqualTo(5);
      assertThat(job.spec().worker().restartCount()).isEqualTo(3);
      assertThat(job.spec().worker().template().main().command())
          .containsExactly("python3", "train.py");
      assertThat(job.spec().replicaSpecs()).containsOnlyKeys(Role.WORKER, Role.PARAMETER_SERVER);
    }
  }

  static Stream<Arguments> twoNumbers() {
    return Stream.of(
        arguments("replicas: 2", "replicas: 5", 5),
        arguments("replicas: 2", "replicas: 0", 2),
        arguments("replicas: 0", "replicas: 5", 5),
        arguments("replicas: 0", "replicas: 0", null),
        arguments("replicas: 2", "{}", 2),
        arguments("replicas: 2, maxReplicas: 4", "replicas: 5", 4),
        arguments("replicas: 4, minReplicas: 3", "replicas: 1", 3),
        arguments("replicas: 4, minReplicas: 3", "minReplicas: 2, replicas: 1", 2));
  }

  @ParameterizedTest
  @MethodSource("twoNumbers")
  void ofTwoNumbersTheScaledOneWinsAsFarAsItMay(
      String direct, String scaled, @Nullable Integer want) {
    String job =
        JOB.replace("replicas: 2\n", direct.replace(", ", "\n    ") + "\n")
            + "  replicaSpecs: {worker: {%s}}\n".formatted(scaled.equals("{}") ? "" : scaled);

    for (ElasticJob read : List.of(JobFile.of(resource(job)), JobFile.parse("x", job))) {
      assertThat(read.spec().worker().replicas()).isEqualTo(want);
    }
  }

  @Test
  void anEmptyKeyTakesNothingFromTheOtherShape() {
    String job = JOB + "  replicaSpecs: {worker: {replicas: , restartCount: }}\n";

    for (ElasticJob read : List.of(JobFile.of(resource(job)), JobFile.parse("x", job))) {
      assertThat(read.spec().worker().replicas()).isEqualTo(2);
      assertThat(read.spec().worker().restartCount()).isEqualTo(3);
    }
  }

  @Test
  void twoTemplatesOfOneRoleAreRefusedAndSoIsARoleWithNone() {
    String twice =
        JOB
            + "  replicaSpecs: {worker: {template: {spec: {containers: [{name: main, command: [x]}]}}}}\n";
    String spelledTwice = JOB + "  ps: {replicas: 1}\n";
    String none = JOB + "  replicaSpecs: {chief: {replicas: 1}}\n";

    assertRefused(twice, "the role 'worker' stands in this file for the second time");
    assertRefused(spelledTwice, "its spellings are ps, parameterServer, parameter_server");
    assertRefused(none, "'spec.replicaSpecs.chief.template' is missing");
  }

  @Test
  void errorsNameTheJobAndNoLine() {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> JobFile.of(resource(JOB.replace("ring-allreduce", "ring"))))
        .withMessageStartingWith("ElasticJob team-a/digits: unknown strategy 'ring'");
  }

  @Test
  void saysWhoMakesThePodsAndWhichAreRemoved() {
    ElasticJobSpec plain = JobFile.of(resource(JOB)).spec();
    ElasticJobSpec said =
        JobFile.of(resource(JOB + "  scaler: JobResource\n  cleanPodPolicy: None\n")).spec();

    assertThat(plain.scaler()).isEqualTo(ScalerKind.ElasticJobScaler);
    assertThat(plain.cleanPodPolicy()).isEqualTo(CleanPodPolicy.Running);
    assertThat(said.scaler()).isEqualTo(ScalerKind.JobResource);
    assertThat(said.cleanPodPolicy()).isEqualTo(CleanPodPolicy.None);
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> JobFile.parse("job.yaml", JOB + "  scaler: podScaler\n"))
        .withMessageContaining("unknown scaler 'podScaler'; did you mean 'PodScaler'?");
  }

  @Test
  void keepsWhereAClusterFindsAVariable() {
    assertThat(JobFile.of(resource(JOB)).spec().envs())
        .containsExactly(
            new EnvVar("A", "1"),
            new EnvVar("B", "b"),
            new EnvVar("C", null, Map.of("fieldRef", Map.of("fieldPath", "metadata.name"))));
  }

  private static void assertRefused(String yaml, String message) {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> JobFile.of(resource(yaml)))
        .withMessageContaining(message);
  }

  private static ElasticJobResource resource(String yaml) {
    return Serialization.unmarshal(yaml, ElasticJobResource.class);
  }
}
