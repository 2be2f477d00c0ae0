package dev.pliant.crds.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class PodNeedsTest {
  private static PodNeeds needs(String spec) {
    return PodNeeds.of(Jobs.withWorker("spec:\n" + spec.indent(2)));
  }

  @Test
  void aPlainPodNeedsNothing() {
    PodNeeds needs =
        needs(
            """
            serviceAccountName: default
            volumes: [{name: a, emptyDir: {}}, {name: b, configMap: {name: c}}]
            containers: [{name: main, command: [x], env: [{name: A, value: b}]}]
            """);

    assertThat(needs).isEqualTo(new PodNeeds(Set.of(), Set.of(), Set.of(), false));
    assertThat(needs.annotations())
        .containsEntry(PodNeeds.ACCOUNTS, "")
        .containsEntry(PodNeeds.HOST, "false");
  }

  @Test
  void namesAllThatTheTemplatesOfNodesNameAndNotThatOfTheMaster() {
    PodNeeds needs =
        PodNeeds.of(
            Jobs.job(
                """
                checkpoint: {claim: checkpoints}
                replicaSpecs:
                  worker:
                    template:
                      spec:
                        serviceAccountName: reader
                        containers:
                          - name: main
                            command: [x]
                            envFrom: [{secretRef: {name: from}}]
                            env: [{name: K, valueFrom: {secretKeyRef: {name: key, key: k}}}]
                        initContainers:
                          - {name: first, envFrom: [{secretRef: {name: init}}]}
                        volumes:
                          - {name: s, secret: {secretName: volume}}
                          - {name: p, projected: {sources: [{secret: {name: projected}}]}}
                          - {name: d, persistentVolumeClaim: {claimName: data}}
                  ps:
                    template:
                      spec:
                        containers: [{name: main, command: [x]}]
                        volumes:
                          - name: t
                            projected: {sources: [{serviceAccountToken: {path: token}}]}
                  dlrover-master:
                    template:
                      spec:
                        serviceAccountName: boss
                        hostNetwork: true
                        containers: [{name: main}]
                """));

    assertThat(needs.accounts()).containsExactly("default", "reader");
    assertThat(needs.secrets()).containsExactly("from", "init", "key", "projected", "volume");
    assertThat(needs.claims()).containsExactly("checkpoints", "data");
    assertThat(needs.host()).isFalse();
    assertThat(needs.annotations()).containsEntry(PodNeeds.CLAIMS, "checkpoints,data");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "hostNetwork: true",
        "hostPID: true",
        "hostIPC: true",
        "volumes: [{name: v, hostPath: {path: /}}]",
        "volumes: [{name: v, csi: {driver: d}}]",
        "initContainers: [{name: i, securityContext: {privileged: true}}]",
        "initContainers: [{name: i, securityContext: {procMount: Unmasked}}]",
        "initContainers: [{name: i, securityContext: {capabilities: {add: [IPC_LOCK]}}}]",
        "initContainers: [{name: i, ports: [{containerPort: 1, hostPort: 1}]}]",
      })
  void sharesOfTheMachineAreSaid(String more) {
    assertThat(needs("containers: [{name: main, command: [x]}]\n" + more).host()).isTrue();
  }
}
