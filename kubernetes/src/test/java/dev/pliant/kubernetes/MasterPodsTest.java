package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.ElasticJob;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

final class MasterPodsTest {
  private static final String WORKER =
      "worker: {template: {spec: {containers: [{name: main, command: [x]}]}}}\n";

  private static final Map<String, String> PRIVATE =
      Map.of(
          Images.MASTER_VARIABLE,
          "registry.example.com/master",
          Images.AGENT_VARIABLE,
          "registry.example.com/agent",
          Images.PULL_SECRETS_VARIABLE,
          "pliant-pull, mirror");

  @Test
  void runsOurMasterForItsJob() {
    Pod pod = pod(WORKER, 3);
    Container container = pod.getSpec().getContainers().getFirst();

    assertThat(pod.getMetadata().getName()).isEqualTo("digits-master-3");
    assertThat(pod.getMetadata().getLabels()).containsEntry("pliant.dev/role", "master");
    assertThat(pod.getMetadata().getOwnerReferences()).containsExactly(Jobs.OWNER);
    assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("OnFailure");
    assertThat(pod.getSpec().getServiceAccountName()).isEqualTo("digits-pliant-master");
    assertThat(container.getImage()).isEqualTo("pliant/master:1");
    assertThat(container.getCommand()).isEmpty();
    assertThat(String.join(" ", container.getArgs()))
        .isEqualTo(
            "master --platform kubernetes --job team-a/digits --job-dir /var/lib/pliant/job"
                + " --secret /etc/pliant --listen 0.0.0.0:7077");
    assertThat(container.getSecurityContext().getReadOnlyRootFilesystem()).isTrue();
    assertThat(pod.getSpec().getSecurityContext().getRunAsNonRoot()).isTrue();
  }

  @Test
  void tellsTheMasterWhatItsNodesRunFrom() {
    Map<String, String> environment = new LinkedHashMap<>();
    for (EnvVar variable : pod(WORKER, 0).getSpec().getContainers().getFirst().getEnv()) {
      if (variable.getValue() != null) {
        environment.put(variable.getName(), variable.getValue());
      }
    }

    assertThat(Images.of(environment)).isEqualTo(Jobs.IMAGES);
    assertThat(environment).containsEntry("PLIANT_RESTRICTED", "true");
    environment.put(Images.PULL_POLICY_VARIABLE, "Sometimes");
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> Images.of(environment))
        .withMessageContaining("'Sometimes'; it is one of Always, IfNotPresent, Never");
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> Images.of(Map.of()))
        .withMessageContaining("PLIANT_AGENT_IMAGE");
  }

  @Test
  void isReadyOnceItAnswers() {
    Pod pod = pod(WORKER, 0);

    assertThat(
            pod.getSpec()
                .getContainers()
                .getFirst()
                .getReadinessProbe()
                .getTcpSocket()
                .getPort()
                .getIntVal())
        .isEqualTo(7077);
  }

  @Test
  void isPulledByItsTemplatesSecretsAndOurs() {
    Images images = Images.of(PRIVATE);
    MasterPodRequest request =
        new MasterPodRequest(
            Jobs.job(
                WORKER
                    + "master: {template: {spec: {imagePullSecrets: [{name: team}, {name: pliant-pull}], containers: [{name: main}]}}}\n"),
            Jobs.OWNER,
            0,
            images,
            true);
    Pod pod = MasterPods.pod(request);

    assertThat(pod.getSpec().getImagePullSecrets())
        .extracting(LocalObjectReference::getName)
        .containsExactly("team", "pliant-pull", "mirror");
    assertThat(pod.getSpec().getContainers().getFirst().getEnv())
        .contains(new EnvVar("PLIANT_IMAGE_PULL_SECRETS", "pliant-pull,mirror", null));
  }

  @Test
  void refusesWhatCanNameNoSecret() {
    Map<String, String> environment = new LinkedHashMap<>(PRIVATE);
    environment.put(Images.PULL_SECRETS_VARIABLE, "pliant pull");

    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> Images.of(environment))
        .withMessageContaining("PLIANT_IMAGE_PULL_SECRETS names 'pliant pull'");
  }

  @Test
  void runsWhereItsRoleMayRun() {
    Pod pod =
        pod(
            WORKER
                + """
                master:
                  template:
                    spec:
                      nodeSelector: {disk: fast}
                      tolerations: [{key: reserved, operator: Exists}]
                      priorityClassName: high
                      hostNetwork: true
                      containers: [{name: main}]
                """,
            0);

    assertThat(pod.getSpec().getNodeSelector()).containsEntry("disk", "fast");
    assertThat(pod.getSpec().getTolerations().getFirst().getKey()).isEqualTo("reserved");
    assertThat(pod.getSpec().getPriorityClassName()).isEqualTo("high");
    assertThat(pod.getSpec().getHostNetwork()).isNull();
  }

  @Test
  void hasThePriorityOfItsRole() {
    Pod pod =
        pod(
            WORKER + "master: {priority: high, template: {spec: {containers: [{name: main}]}}}\n",
            0);

    assertThat(pod.getSpec().getPriorityClassName()).isEqualTo("high");
  }

  @Test
  void ofTheRoleOfDlroverItKeepsSizeAndLabelsAndNothingElse() {
    Pod pod =
        pod(
            WORKER
                + """
                dlrover-master:
                  template:
                    metadata:
                      labels: {team: x, pliant.dev/role: forged, app.kubernetes.io/name: y}
                      annotations: {a: b, kubectl.kubernetes.io/default-container: main}
                    spec:
                      containers:
                        - name: main
                          image: registry.example/dlrover:v0.2.0
                          command: [theirs]
                          imagePullPolicy: Always
                          resources: {limits: {cpu: 2}, requests: {memory: 1Gi}}
                """,
            0);
    Container container = pod.getSpec().getContainers().getFirst();

    assertThat(container.getImage()).isEqualTo("pliant/master:1");
    assertThat(container.getCommand()).isEmpty();
    assertThat(container.getImagePullPolicy()).isEqualTo("IfNotPresent");
    assertThat(container.getResources().getLimits()).isEqualTo(Map.of("cpu", Quantity.parse("2")));
    assertThat(container.getResources().getRequests())
        .isEqualTo(Map.of("memory", Quantity.parse("1Gi")));
    assertThat(pod.getMetadata().getLabels())
        .containsEntry("team", "x")
        .containsEntry("app.kubernetes.io/name", "y")
        .containsEntry("pliant.dev/role", "master");
    assertThat(pod.getMetadata().getAnnotations())
        .containsEntry("a", "b")
        .as("its own container is not there")
        .containsEntry("kubectl.kubernetes.io/default-container", "master");
    assertThat(MainContainer.of(pod)).hasValue("master");
  }

  @Test
  void withoutThatRoleItAsksForALittle() {
    Container container = pod(WORKER, 0).getSpec().getContainers().getFirst();

    assertThat(container.getResources().getRequests()).containsOnlyKeys("cpu", "memory");
  }

  static Stream<Arguments> journals() {
    return Stream.of(
        arguments("", null, null),
        arguments("storage: {claim: journals}\n", "journals", "team-a/digits/u-1"),
        arguments("storage: {claim: journals, path: a/b}\n", "journals", "a/b/team-a/digits/u-1"));
  }

  @ParameterizedTest
  @MethodSource("journals")
  void keepsItsJournalWhereTheJobSays(
      String storage, @Nullable String wantClaim, @Nullable String wantSubPath) {
    Pod pod = pod(storage + WORKER, 0);

    Volume journal =
        pod.getSpec().getVolumes().stream()
            .filter(volume -> volume.getName().equals("journal"))
            .findFirst()
            .orElseThrow();
    VolumeMount mount =
        pod.getSpec().getContainers().getFirst().getVolumeMounts().stream()
            .filter(found -> found.getName().equals("journal"))
            .findFirst()
            .orElseThrow();
    assertThat(mount.getMountPath()).isEqualTo("/var/lib/pliant");
    assertThat(mount.getSubPath()).isEqualTo(wantSubPath);
    if (wantClaim == null) {
      assertThat(journal.getEmptyDir()).isNotNull();
    } else {
      assertThat(journal.getPersistentVolumeClaim().getClaimName()).isEqualTo(wantClaim);
    }
  }

  private static Pod pod(String spec, int number) {
    ElasticJob job = Jobs.job(spec);
    return MasterPods.pod(new MasterPodRequest(job, Jobs.OWNER, number, Jobs.IMAGES, true));
  }
}
