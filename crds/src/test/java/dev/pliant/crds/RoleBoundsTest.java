package dev.pliant.crds;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.model.PliantException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class RoleBoundsTest {

  static Stream<Arguments> jobs() {
    return Stream.of(
        arguments("manual", "", "", "worker", new RoleBounds(1, 1, 60, false)),
        arguments("manual", "", "replicas: 100", "worker", new RoleBounds(100, 1, 100, false)),
        arguments(
            "manual",
            "",
            "minReplicas: 2, maxReplicas: 5",
            "worker",
            new RoleBounds(2, 2, 5, true)),
        arguments("manual", "cpu: 7", "replicas: 2", "worker", new RoleBounds(2, 1, 3, true)),
        arguments(
            "manual",
            "cpu: 100, memory: 4Gi",
            "replicas: 2",
            "worker",
            new RoleBounds(2, 1, 4, true)),
        arguments("manual", "memory: 1.3Gi", "", "ps", new RoleBounds(1, 1, 3, true)),
        arguments("manual", "", "", "ps", new RoleBounds(1, 1, 15, false)),
        arguments("manual", "", "replicas: 0", "ps", new RoleBounds(0, 0, 15, false)),
        arguments("manual", "", "minReplicas: 0", "ps", new RoleBounds(1, 0, 15, false)),
        arguments("manual", "", "minReplicas: 2", "ps", new RoleBounds(2, 2, 15, false)),
        arguments("manual", "example.com/x: 1", "", "worker", new RoleBounds(1, 1, 60, false)),
        arguments("manual", "cpu: 7", "replicas: 4", "worker", new RoleBounds(3, 1, 3, true)),
        arguments("manual", "cpu: 7", "maxReplicas: 2", "worker", new RoleBounds(1, 1, 2, true)),
        arguments("manual", "cpu: 7", "maxReplicas: 9", "worker", new RoleBounds(1, 1, 3, true)),
        arguments("single-job", "cpu: 7", "", "worker", new RoleBounds(1, 1, 3, true)),
        arguments("single-job", "cpu: 7", "replicas: 4", "worker", new RoleBounds(3, 1, 3, true)),
        arguments("cluster", "cpu: 999", "", "worker", new RoleBounds(1, 1, 60, false)),
        arguments("manual", "cpu: 999", "", "worker", new RoleBounds(1, 1, 499, true)),
        arguments("cluster", "", "replicas: 3", "ps", new RoleBounds(3, 1, 15, false)),
        arguments("cluster", "", "replicas: 20", "ps", new RoleBounds(20, 1, 20, false)),
        arguments("cluster", "", "", "evaluator", new RoleBounds(1, 0, 1, false)),
        arguments("cluster", "", "replicas: 0", "evaluator", new RoleBounds(0, 0, 1, false)),
        arguments("cluster", "", "", "chief", new RoleBounds(1, 0, 1, false)));
  }

  @ParameterizedTest
  @MethodSource("jobs")
  void boundsFollowFromTheModeAndWhatIsGiven(
      String mode, String limits, String counts, String role, RoleBounds want) {
    assertThat(RoleBounds.of(spec(mode, limits, counts, role, ""), Role.of(role).orElseThrow()))
        .isEqualTo(want);
  }

  @Test
  void otherRolesTakeTheirShareOfTheLimits() {
    String evaluator =
        "{replicas: 2, template: {spec: {containers: [{name: main, resources: {limits: {cpu: 1}}}]}}}";

    assertThat(RoleBounds.of(spec("manual", "cpu: 8", "", "worker", evaluator), Role.WORKER).max())
        .isEqualTo(3);
  }

  @Test
  void refusesAJobOfWhichNotEvenTheFewestFit() {
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() ->
            RoleBounds.of(spec("manual", "cpu: 5", "minReplicas: 3", "worker", ""), Role.WORKER))
        .withMessageContaining("leave room for 2 of the role 'worker', which needs 3");
  }

  /// A worker may use 2 cores and 1 GiB, a server 0.1 GiB.
  private static ElasticJobSpec spec(
      String mode, String limits, String counts, String role, String evaluator) {
    String worker =
        "template: {spec: {containers: [{name: main, resources: {requests: {cpu: 1}, limits: {cpu: 2, memory: 1Gi}}}]}}";
    String server =
        "template: {spec: {containers: [{name: main, resources: {limits: {memory: 0.1Gi}}}]}}";
    String roles =
        role.equals("worker")
            ? "    worker: {%s %s}\n".formatted(counts.isEmpty() ? "" : counts + ",", worker)
            : "    worker: {%s}\n    %s: {%s %s}\n"
                .formatted(worker, role, counts.isEmpty() ? "" : counts + ",", server);
    return JobFile.parse(
            "job.yaml",
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: x}
            spec:
              optimizeMode: %s
              resourceLimits: {%s}
              replicaSpecs:
            """
                    .formatted(mode, limits)
                + roles
                + (evaluator.isEmpty() ? "" : "    evaluator: " + evaluator + "\n"))
        .spec();
  }
}
