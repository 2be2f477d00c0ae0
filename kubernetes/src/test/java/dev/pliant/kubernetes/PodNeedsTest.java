package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PodNeedsTest {
  private static PodNeeds needs(String spec) {
    return PodNeeds.of(Jobs.withWorker("spec:\n" + spec.indent(2)));
  }

  private static final PodNeeds NOTHING =
      new PodNeeds(Set.of(), Set.of(), Set.of(), Set.of(), Set.of(), Set.of());

  @Test
  void aPlainPodNeedsNothing() {
    PodNeeds needs =
        needs(
            """
            serviceAccountName: default
            volumes: [{name: a, emptyDir: {}}, {name: b, configMap: {name: c}}]
            containers: [{name: main, command: [x], env: [{name: A, value: b}]}]
            """);

    assertThat(needs).isEqualTo(NOTHING);
    assertThat(needs.annotations().values()).containsOnly("");
  }

  @Test
  void whatIsLeftEmptyIsNothing() {
    assertThat(
            needs(
                """
                volumes:
                initContainers:
                containers: [{name: main, command: [x], env: , envFrom: , ports: }]
                """))
        .isEqualTo(NOTHING);
  }

  @Test
  void namesAllThatTheTemplatesOfNodesNameAndNotThatOfTheMaster() {
    PodNeeds needs =
        PodNeeds.of(
            Jobs.job(
                """
                checkpoint: {claim: checkpoints}
                envs: {TOKEN: {valueFrom: {secretKeyRef: {name: envs, key: k}}}}
                replicaSpecs:
                  worker:
                    template:
                      spec:
                        serviceAccountName: reader
                        priorityClassName: urgent
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
                    priority: '0.5'
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

    assertThat(needs.accounts()).containsExactly("reader");
    assertThat(needs.tokens()).as("the reader's is not mounted").containsExactly("default");
    assertThat(needs.secrets())
        .containsExactly("envs", "from", "init", "key", "projected", "volume");
    assertThat(needs.claims()).containsExactly("checkpoints", "data");
    assertThat(needs.host()).isEmpty();
    assertThat(needs.priorities()).containsExactly("high", "low", "urgent");
    assertThat(needs.annotations()).containsEntry(PodNeeds.CLAIMS, "checkpoints,data");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          hostNetwork: true | network
          hostPID: true | pid
          hostIPC: true | ipc
          volumes: [{name: v, hostPath: {path: '/a,b'}}] | path /a,b
          volumes: [{name: v, iscsi: {targetPortal: t, iqn: i, lun: 0}}] | volume
          volumes: [{name: v, ephemeral: {volumeClaimTemplate: {spec: {dataSource: {kind: PersistentVolumeClaim, name: o}}}}}] | volume
          initContainers: [{name: i, securityContext: {privileged: true}}] | privileged
          initContainers: [{name: i, securityContext: {procMount: Unmasked}}] | procMount
          initContainers: [{name: i, securityContext: {capabilities: {add: [IPC_LOCK]}}}] | capability IPC_LOCK
          initContainers: [{name: i, ports: [{containerPort: 1, hostPort: 1}]}] | port
          """)
  void sharesOfTheMachineAreSaidOneByOne(String more, String share) {
    assertThat(needs("containers: [{name: main, command: [x]}]\n" + more).host())
        .containsExactly(share);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          nfs: {server: s, path: /a b} | nfs,s,/a b,false
          nfs: {server: s, path: /a, readOnly: true} | nfs,s,/a,true
          csi: {driver: d} | csi,d,,false,
          csi: {driver: d, fsType: ext4, readOnly: true, nodePublishSecretRef: {name: s}, volumeAttributes: {z: 1=2, a: b}} | csi,d,ext4,true,s,a=b,z=1=2
          """)
  void storageThatNobodyHasClaimedIsSaidExactly(String volume, String said) {
    assertThat(storage(volume)).isEqualTo(Set.of(said.replace(',', '\t')));
  }

  @Test
  void storageThatCouldBeTakenForOtherIsLeftOut() {
    assertThat(storage("nfs: {server: s, path: \"/a\\tb\"}")).isEmpty();
    assertThat(storage("csi: {driver: d, volumeAttributes: {a: \"b\\nprivileged\"}}")).isEmpty();
  }

  private static Set<String> storage(String volume) {
    return needs(
            "containers: [{name: main, command: [x]}]\nvolumes:\n- name: v\n  " + volume + "\n")
        .host();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{name: v}", "{name: v, ephemeral: {volumeClaimTemplate: {spec: {}}}}"})
  void otherVolumesAreNoShareOfTheMachine(String volume) {
    assertThat(needs("containers: [{name: main, command: [x]}]\nvolumes: [%s]".formatted(volume)))
        .extracting(PodNeeds::host)
        .isEqualTo(Set.of());
  }
}
