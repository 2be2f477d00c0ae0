package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LocalObjectReference;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.Volume;
import io.fabric8.kubernetes.api.model.VolumeMount;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

final class NodePodsTest {
  private static final String PLAIN =
      "spec: {containers: [{name: main, image: python, command: [python3, train.py], args: [--fast]}]}";

  @Test
  void putsTheAgentBeforeTheCommandAndKeepsEveryWordOfIt() {
    ElasticJob job =
        Jobs.withWorker(
            """
            spec:
              containers:
                - name: main
                  command: [/bin/bash, -c, "run --nnodes=3:$NODE_NUM $(POD_NAME)"]
                  args: ["--", "-x", ""]
            """);

    Container main = main(NodePods.pod(Jobs.request(job, "worker-7")));

    assertThat(main.getCommand()).containsExactly("/pliant/agent/bin/pliant-agent");
    assertThat(String.join(" ", main.getArgs()))
        .isEqualTo(
            "--job team-a/digits --node worker-7 --role worker --master digits-master.team-a.svc:7077"
                + " --secret /etc/pliant --workers 1 --elasticity auto --max-workers 4 --restarts 2"
                + " --max-restarts 3 --grace 30 --state /tmp/pliant --socket"
                + " /tmp/pliant/socket/agent.sock --end-file /dev/termination-log --print -- /bin/bash -c run --nnodes=3:$NODE_NUM $(POD_NAME) -- -x ");
    assertThat(values(main)).containsEntry("NODE_NUM", "3");
  }

  @ParameterizedTest
  @ValueSource(strings = {"main", "trainer"})
  void theContainerNamedMainElseTheFirstIsTheNode(String name) {
    ElasticJob job =
        Jobs.withWorker(
            """
            metadata: {annotations: {kubectl.kubernetes.io/default-container: logger}}
            spec:
              containers:
                - {name: logger, image: l, command: [log]}
                - {name: %s, image: t, command: [train], resources: {limits: {memory: 1Gi}}}
            """
                .formatted(name));
    String node = name.equals("main") ? name : "logger";

    Pod pod =
        NodePods.pod(
            Jobs.request(
                job,
                "worker-0",
                ResourceAmounts.of(Map.of("memory", new IntOrString(2048))),
                false));

    assertThat(pod.getSpec().getContainers())
        .extracting(Container::getName)
        .containsExactly("logger", name);
    assertThat(pod.getSpec().getContainers())
        .filteredOn(container -> container.getCommand().equals(List.of(NodePods.AGENT)))
        .singleElement()
        .satisfies(wrapped -> {
          assertThat(wrapped.getName()).isEqualTo(node);
          assertThat(wrapped.getResources().getLimits())
              .containsEntry("memory", Quantity.parse("2048Mi"));
          assertThat(values(wrapped)).containsKey("NODE_RANK");
        });
    assertThat(MainContainer.of(pod)).hasValue(node);
    assertThat(pod.getMetadata().getAnnotations())
        .as("what kubectl shows first is the user's to say")
        .containsEntry("kubectl.kubernetes.io/default-container", "logger");
  }

  @Test
  void theNodeIsKnownAfterAnotherPutAContainerBeforeIt() {
    Pod pod = NodePods.pod(Jobs.request(Jobs.withWorker(PLAIN), "worker-0"));
    pod.getSpec().getContainers().addFirst(new ContainerBuilder().withName("proxy").build());

    assertThat(MainContainer.of(pod)).hasValue("main");
    assertThat(pod.getMetadata().getAnnotations())
        .containsEntry("kubectl.kubernetes.io/default-container", "main");
    pod.getMetadata().setAnnotations(null);
    assertThat(MainContainer.of(pod)).as("of one that was made before").hasValue("proxy");
  }

  @Test
  void aKeyThatIsLeftEmptyCountsAsAbsent() {
    ElasticJob job =
        Jobs.withWorker(
            """
            metadata: {labels: , annotations: }
            spec:
              initContainers:
              volumes:
              tolerations:
              imagePullSecrets:
              containers:
                - name: main
                  command: [x]
                  args:
                  env:
                  envFrom:
                  ports:
                  volumeMounts:
                  resources: {limits: }
                  securityContext: {capabilities: }
                - {name: side, command: , env: [{name: A, value: , valueFrom: }]}
            """);

    Pod pod = NodePods.pod(Jobs.request(job, "worker-0", ResourceAmounts.NONE, true));

    assertThat(main(pod).getArgs()).endsWith("--", "x");
    assertThat(main(pod).getVolumeMounts())
        .extracting(VolumeMount::getMountPath)
        .containsExactly("/pliant", "/tmp/pliant", "/etc/pliant");
    assertThat(pod.getSpec().getContainers().get(1).getEnv())
        .containsExactly(new EnvVar("A", null, null));
  }

  @Test
  void refusesAnItemThatIsLeftEmpty() {
    ElasticJob job =
        Jobs.withWorker("spec: {containers: [{name: m, command: [x], volumeMounts: [null]}]}");

    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> NodePods.pod(Jobs.request(job, "worker-0")))
        .withMessage(
            "the template of role 'worker' is not what Kubernetes takes there: 'spec.containers[0].volumeMounts[0]' is empty; write the item, or leave out its dash.");
  }

  static Stream<Arguments> networks() {
    return Stream.of(
        arguments("", null),
        arguments("hostNetwork: false, ", null),
        arguments("hostNetwork: true, ", "ClusterFirstWithHostNet"),
        arguments("hostNetwork: true, dnsPolicy: Default, ", "Default"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("networks")
  void onItsMachinesNetworkItFindsItsMasterByName(String network, @Nullable String want) {
    ElasticJob job =
        Jobs.withWorker("spec: {%scontainers: [{name: m, command: [x]}]}".formatted(network));

    Pod pod = NodePods.pod(Jobs.request(job, "worker-0"));

    assertThat(pod.getSpec().getDnsPolicy()).isEqualTo(want);
    assertThat(job.spec().hostNetwork()).isEqualTo(network.contains("true"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker-5", "ps-5"})
  void hasTheNamesThatOthersScriptsLookFor(String node) {
    ElasticJob job =
        Jobs.job("worker: {template: {%s}}\nps: {template: {%s}}".formatted(PLAIN, PLAIN));

    Container main = main(NodePods.pod(Jobs.request(job, node)));

    assertThat(values(main))
        .containsEntry("NODE_NUM", "3")
        .containsEntry("WORKER_NUM", "3")
        .containsEntry("WORKER_ID", "5")
        .containsEntry("WORKER_TYPE", node.substring(0, node.indexOf('-')))
        .containsEntry("JOB_UID", "u-1");
    assertThat(find(main.getEnv(), "NODE_IP").getValueFrom().getFieldRef().getFieldPath())
        .isEqualTo("status.hostIP");
  }

  @Test
  void theAgentIsPulledByOurSecretsBesideTheTemplates() {
    ElasticJob job =
        Jobs.withWorker(
            "spec: {imagePullSecrets: [{name: team}], containers: [{name: main, command: [x]}]}");
    Images images = new Images("m", "a", "Always", List.of("pliant-pull"));
    NodePodRequest request =
        new NodePodRequest(
            job,
            Jobs.OWNER,
            NodeId.parse("worker-0"),
            0,
            0,
            1,
            1,
            ResourceAmounts.NONE,
            images,
            false);

    assertThat(NodePods.pod(request).getSpec().getImagePullSecrets())
        .extracting(LocalObjectReference::getName)
        .containsExactly("team", "pliant-pull");
    assertThat(NodePods.pod(Jobs.request(job, "worker-0")).getSpec().getImagePullSecrets())
        .extracting(LocalObjectReference::getName)
        .containsExactly("team");
  }

  static Stream<Arguments> groups() {
    return Stream.of(
        arguments("AllreduceStrategy", "worker-0", "auto"),
        arguments("ring-allreduce", "worker-0", "auto"),
        arguments("Local", "worker-0", "none"),
        arguments("parameter_server", "worker-0", "none"),
        arguments("parameter_server", "ps-0", "none"),
        arguments("AllreduceStrategy", "evaluator-0", "none"));
  }

  @ParameterizedTest
  @MethodSource("groups")
  void onlyWorkersOfAnAllReduceJobAreAGroup(String strategy, String node, String want) {
    ElasticJob job =
        Jobs.job(
            "distributionStrategy: %s\nworker: {template: {%s}}\nps: {template: {%s}}\nevaluator: {template: {%s}}"
                .formatted(strategy, PLAIN, PLAIN, PLAIN));

    assertThat(main(NodePods.pod(Jobs.request(job, node))).getArgs())
        .containsSequence("--elasticity", want);
  }

  @Test
  void saysHowManyProcessesAndFailuresThereMayBe() {
    ElasticJob job =
        Jobs.job(
            "worker: {nprocPerNode: 2, restartCount: 5, template: {spec: {terminationGracePeriodSeconds: 100, containers: [{name: m, command: [x]}]}}}");

    Pod pod = NodePods.pod(Jobs.request(job, "worker-0"));

    assertThat(main(pod).getArgs())
        .containsSequence("--workers", "2")
        .containsSequence("--max-workers", "8")
        .containsSequence("--max-restarts", "5")
        .containsSequence("--grace", "95");
    assertThat(pod.getSpec().getTerminationGracePeriodSeconds()).isEqualTo(100);
  }

  @Test
  void isThePodOfItsJob() {
    Pod pod = NodePods.pod(Jobs.request(Jobs.withWorker(PLAIN), "worker-7"));

    assertThat(pod.getMetadata().getName()).isEqualTo("digits-worker-7");
    assertThat(pod.getMetadata().getNamespace()).isEqualTo("team-a");
    assertThat(pod.getMetadata().getOwnerReferences()).containsExactly(Jobs.OWNER);
    assertThat(pod.getMetadata().getLabels())
        .containsEntry("pliant.dev/node", "worker-7")
        .containsEntry("elasticjob.dlrover/rank-index", "1");
    assertThat(pod.getSpec().getAutomountServiceAccountToken()).isFalse();
    assertThat(pod.getSpec().getEnableServiceLinks()).isFalse();
    assertThat(main(pod).getTerminationMessagePolicy()).isEqualTo("FallbackToLogsOnError");
  }

  @Test
  void onlyParameterServersAreFoundByName() {
    ElasticJob job =
        Jobs.job("worker: {template: {%s}}\nps: {template: {%s}}".formatted(PLAIN, PLAIN));

    PodSpec server = NodePods.pod(Jobs.request(job, "ps-1")).getSpec();

    assertThat(server.getHostname()).isEqualTo("digits-ps-1");
    assertThat(server.getSubdomain()).isEqualTo("digits");
    assertThat(NodePods.pod(Jobs.request(job, "worker-0")).getSpec().getSubdomain()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"Never", "Always", "OnFailure"})
  void whatEndedIsTheMastersToReplace(String policy) {
    String template = "spec: {restartPolicy: %s, containers: [{name: m, command: [x]}]}";

    Pod pod = NodePods.pod(Jobs.request(Jobs.withWorker(template.formatted(policy)), "worker-0"));

    assertThat(pod.getSpec().getRestartPolicy()).isEqualTo("Never");
  }

  @Test
  void keepsTheTemplateAsItStands() {
    Pod pod =
        NodePods.pod(
            Jobs.request(
                Jobs.withWorker(
                    """
                    metadata:
                      labels: {team: vision, pliant.dev/job: forged, app.kubernetes.io/name: eyes}
                      annotations: {sidecar.istio.io/inject: "false"}
                    spec:
                      nodeSelector: {gpu: "yes"}
                      ofTheFuture: {deep: [1, two]}
                      tolerations: [{key: spot, operator: Exists}]
                      initContainers: [{name: fetch, image: fetcher}]
                      containers:
                        - name: main
                          image: python
                          command: [x]
                          workingDir: /src
                          ofTheFuture: 7
                          resources: {limits: {cpu: 0.5, memory: 3Gi}, requests: {cpu: 250m}}
                          volumeMounts: [{name: data, mountPath: /data}]
                        - name: side
                          image: car
                      volumes: [{name: data, persistentVolumeClaim: {claimName: data}}]
                    """),
                "worker-0"));

    assertThat(pod.getMetadata().getLabels())
        .containsEntry("team", "vision")
        .containsEntry("app.kubernetes.io/name", "eyes")
        .containsEntry("app.kubernetes.io/managed-by", "pliant")
        .containsEntry("pliant.dev/job", "digits");
    assertThat(pod.getMetadata().getAnnotations())
        .containsEntry("sidecar.istio.io/inject", "false");
    String yaml = Serialization.asYaml(pod);
    assertThat(yaml).contains("ofTheFuture:", "- \"two\"", "ofTheFuture: 7", "claimName: \"data\"");
    assertThat(pod.getSpec().getContainers()).hasSize(2);
    assertThat(pod.getSpec().getContainers().get(1).getVolumeMounts()).isEmpty();
    assertThat(pod.getSpec().getInitContainers())
        .extracting(Container::getName)
        .containsExactly("pliant-agent", "fetch");
    assertThat(main(pod).getWorkingDir()).isEqualTo("/src");
    assertThat(main(pod).getResources().getRequests())
        .containsExactly(Map.entry("cpu", Quantity.parse("250m")));
    assertThat(main(pod).getResources().getLimits())
        .containsEntry("cpu", Quantity.parse("0.5"))
        .containsEntry("memory", Quantity.parse("3Gi"));
    assertThat(main(pod).getSecurityContext()).isNull();
    assertThat(pod.getSpec().getSecurityContext()).isNull();
  }

  @Test
  void bringsTheAgentTokenAndAuthorityIntoTheFirstContainerAndNotTheMastersKey() {
    Pod pod = NodePods.pod(Jobs.request(Jobs.withWorker(PLAIN), "worker-0"));

    assertThat(main(pod).getVolumeMounts())
        .extracting(VolumeMount::getMountPath)
        .containsExactly("/pliant", "/tmp/pliant", "/etc/pliant");
    assertThat(main(pod).getVolumeMounts().getFirst().getReadOnly()).isTrue();
    Volume secret =
        pod.getSpec().getVolumes().stream()
            .filter(volume -> volume.getSecret() != null)
            .findFirst()
            .orElseThrow();
    assertThat(secret.getSecret().getSecretName()).isEqualTo("digits-pliant");
    assertThat(secret.getSecret().getItems())
        .extracting(item -> item.getKey() + "=" + item.getPath())
        .containsExactly("token=token", "ca.pem=ca.pem");
    Container installer = pod.getSpec().getInitContainers().getFirst();
    assertThat(installer.getImage()).isEqualTo("pliant/agent:1");
    assertThat(installer.getCommand()).isEmpty();
    assertThat(installer.getArgs()).isEmpty();
    assertThat(installer.getVolumeMounts())
        .extracting(VolumeMount::getMountPath)
        .containsExactly("/pliant");
    assertThat(installer.getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(installer.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
  }

  @Test
  void aNameStandsInTheEnvironmentOnceAndTheContainersWordCounts() {
    ElasticJob job =
        Jobs.job(
            """
            envs:
              A: "of the job"
              B: "of the job"
              SECRET: {valueFrom: {secretKeyRef: {name: s, key: k}}}
              NODE_RANK: "9"
            worker:
              template:
                spec:
                  containers:
                    - name: main
                      command: [x]
                      env: [{name: A, value: "of the container"}, {name: C, value: "$(B)"}]
            """);

    List<EnvVar> env = main(NodePods.pod(Jobs.request(job, "worker-5"))).getEnv();

    assertThat(env).extracting(EnvVar::getName).doesNotHaveDuplicates();
    assertThat(values(main(NodePods.pod(Jobs.request(job, "worker-5")))))
        .containsEntry("A", "of the container")
        .containsEntry("B", "of the job")
        .containsEntry("C", "$(B)")
        .containsEntry("NODE_RANK", "9")
        .containsEntry("WORKER_RANK", "1")
        .containsEntry("NODE_ID", "5")
        .containsEntry("NODE_TYPE", "worker")
        .containsEntry("JOB_NAME", "digits")
        .doesNotContainKey("PLIANT_CHECKPOINT");
    assertThat(env.subList(env.size() - 2, env.size()))
        .extracting(EnvVar::getName)
        .containsExactly("A", "C");
    assertThat(find(env, "SECRET").getValueFrom().getSecretKeyRef().getKey()).isEqualTo("k");
    assertThat(find(env, "PLIANT_POD_IP").getValueFrom().getFieldRef().getFieldPath())
        .isEqualTo("status.podIP");
  }

  static Stream<Arguments> checkpoints() {
    return Stream.of(
        arguments("{path: /nas/x}", "/nas/x", null),
        arguments("{path: \"a$(B)\"}", "a$$(B)", null),
        arguments("{claim: models}", "/checkpoints", "models"),
        arguments("{claim: models, path: mine}", "/checkpoints/mine", "models"));
  }

  @ParameterizedTest
  @MethodSource("checkpoints")
  void saysWhereCheckpointsGo(String checkpoint, String wantPath, String wantClaim) {
    ElasticJob job =
        Jobs.job("checkpoint: %s\nworker: {template: {%s}}".formatted(checkpoint, PLAIN));

    Pod pod = NodePods.pod(Jobs.request(job, "worker-0"));

    assertThat(values(main(pod)))
        .containsEntry(
            "PLIANT_CHECKPOINT", "{\"path\":\"%s\",\"every\":100,\"keep\":3}".formatted(wantPath));
    assertThat(claims(pod)).isEqualTo(wantClaim == null ? List.of() : List.of(wantClaim));
    assertThat(main(pod).getVolumeMounts().stream().map(VolumeMount::getMountPath).toList())
        .isEqualTo(
            wantClaim == null
                ? List.of("/pliant", "/tmp/pliant", "/etc/pliant")
                : List.of("/pliant", "/tmp/pliant", "/etc/pliant", "/checkpoints"));
  }

  @Test
  void aContainerThatMountsItsCheckpointsItselfGoesOnDoingSo() {
    ElasticJob job =
        Jobs.job(
            """
            checkpoint: {claim: models}
            worker:
              template:
                spec:
                  containers:
                    - {name: m, command: [x], volumeMounts: [{name: mine, mountPath: /checkpoints}]}
                  volumes: [{name: mine, persistentVolumeClaim: {claimName: models}}]
            """);

    Pod pod = NodePods.pod(Jobs.request(job, "worker-0"));

    assertThat(claims(pod)).containsExactly("models");
    assertThat(main(pod).getVolumeMounts())
        .extracting(VolumeMount::getMountPath)
        .containsOnlyOnce("/checkpoints");
  }

  static Stream<Arguments> sizes() {
    String template = "{limits: {cpu: 2, memory: 1Gi}, requests: {cpu: 500m, memory: 1Gi}}";
    return Stream.of(
        arguments(template, Map.of(), "cpu=2 memory=1Gi", "cpu=500m memory=1Gi"),
        arguments(
            template,
            Map.of("cpu", new IntOrString("2000m"), "memory", new IntOrString("1024Mi")),
            "cpu=2 memory=1Gi",
            "cpu=500m memory=1Gi"),
        arguments(
            template,
            Map.of("memory", new IntOrString(2048)),
            "cpu=2 memory=2048Mi",
            "cpu=500m memory=2048Mi"),
        arguments(
            "{}",
            Map.of("cpu", new IntOrString(8), "disk", new IntOrString(8192)),
            "cpu=8 ephemeral-storage=8192Mi",
            "cpu=8 ephemeral-storage=8192Mi"),
        arguments("{}", Map.of("gpu", new IntOrString(1)), "nvidia.com/gpu=1", "nvidia.com/gpu=1"));
  }

  @ParameterizedTest
  @MethodSource("sizes")
  void aPlanChangesOfTheSizeWhatItNames(
      String template, Map<String, IntOrString> plan, String wantLimits, String wantRequests) {
    ElasticJob job =
        Jobs.withWorker(
            "spec: {containers: [{name: m, command: [x], resources: %s}]}".formatted(template));

    Pod pod = NodePods.pod(Jobs.request(job, "worker-0", ResourceAmounts.of(plan), false));

    assertThat(text(main(pod).getResources().getLimits())).isEqualTo(wantLimits);
    assertThat(text(main(pod).getResources().getRequests())).isEqualTo(wantRequests);
  }

  @Test
  void theInitContainerLeavesThePodsRequestAndClassAsTheyAre() {
    ElasticJob job =
        Jobs.withWorker(
            "spec: {containers: [{name: m, command: [x], resources: {limits: {cpu: 2, memory: 1Gi, nvidia.com/gpu: 1}}}]}");

    Container installer =
        NodePods.pod(Jobs.request(job, "worker-0")).getSpec().getInitContainers().getFirst();

    assertThat(text(installer.getResources().getLimits())).isEqualTo("cpu=2 memory=1Gi");
    assertThat(installer.getResources().getRequests()).isEmpty();
  }

  @Test
  void aRestrictedNamespaceGetsWhatTheTemplateLacks() {
    ElasticJob job =
        Jobs.withWorker(
            """
            spec:
              securityContext: {runAsUser: 1000}
              initContainers: [{name: fetch, image: fetcher}]
              containers:
                - name: main
                  command: [x]
                  securityContext: {allowPrivilegeEscalation: true}
                - name: side
            """);

    Pod pod = NodePods.pod(Jobs.request(job, "worker-0", ResourceAmounts.NONE, true));

    assertThat(pod.getSpec().getSecurityContext().getRunAsUser()).isEqualTo(1000);
    assertThat(pod.getSpec().getSecurityContext().getRunAsNonRoot()).isTrue();
    assertThat(pod.getSpec().getSecurityContext().getSeccompProfile().getType())
        .isEqualTo("RuntimeDefault");
    assertThat(main(pod).getSecurityContext().getAllowPrivilegeEscalation())
        .as("what the user wrote is the API server's to refuse")
        .isTrue();
    Container side = pod.getSpec().getContainers().get(1);
    Container fetch = pod.getSpec().getInitContainers().get(1);
    for (Container container : List.of(side, fetch)) {
      assertThat(container.getSecurityContext().getAllowPrivilegeEscalation()).isFalse();
      assertThat(container.getSecurityContext().getCapabilities().getDrop()).containsExactly("ALL");
    }
  }

  @Test
  void nothingIsAddedThatContradictsAPrivilegedContainer() {
    ElasticJob job =
        Jobs.withWorker(
            """
            spec:
              containers: [{name: main, command: [x], securityContext: {privileged: true}}]
            """);

    Pod pod = NodePods.pod(Jobs.request(job, "worker-0", ResourceAmounts.NONE, true));

    assertThat(main(pod).getSecurityContext().getAllowPrivilegeEscalation()).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"{name: m, image: i}", "{name: m, image: i, args: [x]}"})
  void refusesAContainerWhoseCommandOnlyItsImageKnows(String container) {
    ElasticJob job = Jobs.withWorker("spec: {containers: [%s]}".formatted(container));

    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> NodePods.pod(Jobs.request(job, "worker-0")))
        .withMessageContaining("container 'm' of role 'worker' has no command");
  }

  @ParameterizedTest(name = "{0} {1}: {2}")
  @MethodSource("priorities")
  void hasThePriorityOfItsRoleOrItsTemplate(String priority, String template, String want) {
    ElasticJob job = prioritized(priority, template);

    assertThat(NodePods.pod(Jobs.request(job, "worker-1")).getSpec().getPriorityClassName())
        .isEqualTo(want);
  }

  private static Stream<Arguments> priorities() {
    return Stream.of(
        arguments("", "", null),
        arguments("", "priorityClassName: urgent", "urgent"),
        arguments("priority: high", "", "high"),
        arguments("priority: high", "priorityClassName: high", "high"),
        arguments("priority: '0.5'", "", "low"), // It is the second of its role.
        arguments("priority: 1", "", "high"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"priority: low", "priority: '0.5'"})
  void refusesTwoPriorities(String priority) {
    ElasticJob job = prioritized(priority, "priorityClassName: high");

    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> NodePods.pod(Jobs.request(job, "worker-0")))
        .withMessage(
            "role 'worker' has a priority, and its template has priorityClassName 'high'; write one of them.");
  }

  private static ElasticJob prioritized(String priority, String template) {
    return Jobs.job(
        """
        distributionStrategy: AllreduceStrategy
        worker:
          template:
            spec:
              containers: [{name: m, command: [x]}]
        """
            + template.indent(6)
            + priority.indent(2));
  }

  @Test
  void refusesATemplateThatIsNone() {
    ElasticJob job =
        Jobs.withWorker("spec: {containers: [{name: m, command: [x]}], volumes: none}");

    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> NodePods.pod(Jobs.request(job, "worker-0")))
        .withMessageContaining("the template of role 'worker' is not what Kubernetes takes there");
  }

  @Test
  void aPlanNamesANodeByItsPod() {
    ElasticJob job = Jobs.withWorker(PLAIN);
    PodPlan plan =
        new PodPlan("digits-worker-4", "worker", 4, 2, null, Map.of("cpu", new IntOrString(3)));

    NodePodRequest request = NodePodRequest.of(job, Jobs.OWNER, plan, null, Jobs.IMAGES, false);

    assertThat(request.node()).isEqualTo(new NodeId("worker", 4));
    assertThat(request.rank()).isEqualTo(2);
    assertThat(request.resources().quantities()).containsEntry("cpu", "3");
    for (String other : List.of("other-worker-0", "digits-master-0", "digits")) {
      assertThatExceptionOfType(PliantException.class)
          .isThrownBy(() ->
              NodePodRequest.of(
                  job,
                  Jobs.OWNER,
                  new PodPlan(other, null, null, null, null, null),
                  null,
                  Jobs.IMAGES,
                  false))
          .withMessageContaining("'%s' is no pod of a node of job team-a/digits".formatted(other));
    }
    assertThatExceptionOfType(PliantException.class)
        .isThrownBy(() -> Jobs.request(job, "ps-0"))
        .withMessageContaining("has no role 'ps'");
  }

  static Stream<Arguments> plans() {
    return Stream.of(
        arguments("nothing is planned yet", null, 3, 5),
        arguments("nothing is said of it", "ownerJob: digits", 3, 5),
        arguments(
            "what the master says",
            "ownerJob: digits\nreplicaResourceSpecs: {worker: {replicas: 4}, ps: {replicas: 2}}\njob: {max: 6}",
            4,
            6));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("plans")
  void everyNodeIsToldHowManyWorkersThereAre(
      String what, @Nullable String plan, int wantWorkers, int wantMax) {
    ElasticJob job =
        Jobs.job(
            "worker: {replicas: 3, maxReplicas: 5, template: {%s}}\nps: {replicas: 2, template: {%s}}"
                .formatted(PLAIN, PLAIN));

    for (String node : List.of("worker-0", "ps-0")) {
      NodePodRequest request =
          NodePodRequest.of(
              job,
              Jobs.OWNER,
              new PodPlan("digits-" + node, null, null, null, null, null),
              plan == null ? null : Serialization.unmarshal(plan, ScalePlanSpec.class),
              Jobs.IMAGES,
              false);
      assertThat(request.workers()).as(what).isEqualTo(wantWorkers);
      assertThat(request.maxNodes()).as(what).isEqualTo(wantMax);
    }
  }

  private static Container main(Pod pod) {
    return pod.getSpec().getContainers().getFirst();
  }

  private static List<String> claims(Pod pod) {
    return pod.getSpec().getVolumes().stream()
        .filter(volume -> volume.getPersistentVolumeClaim() != null)
        .map(volume -> volume.getPersistentVolumeClaim().getClaimName())
        .toList();
  }

  private static EnvVar find(List<EnvVar> env, String name) {
    return env.stream().filter(v -> v.getName().equals(name)).findFirst().orElseThrow();
  }

  private static Map<String, String> values(Container container) {
    return container.getEnv().stream()
        .filter(variable -> variable.getValue() != null)
        .collect(Collectors.toMap(EnvVar::getName, EnvVar::getValue));
  }

  private static String text(Map<String, Quantity> quantities) {
    return quantities.entrySet().stream()
        .map(entry -> entry.getKey() + "=" + entry.getValue())
        .sorted()
        .collect(Collectors.joining(" "));
  }
}
