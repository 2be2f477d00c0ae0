package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.model.NodeId;
import dev.pliant.testing.Needs;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicy;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBinding;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingAdmissionPolicyBindingBuilder;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// What a real API server lets a master do that makes its pods itself: the test speaks as that
/// master. The policies are those of `deploy/`, bound to a namespace of the test's own.
final class MasterPodPolicyIT {
  private static final String ID = Long.toString(System.nanoTime(), 36);
  private static final String NAMESPACE = "master-pods-it-" + ID;
  private static final Path DEPLOYED = Path.of("../deploy/kustomize/base/policies.yaml");

  /// Its worker asks for something of everything, its parameter server for nothing.
  private static final String GREEDY =
      """
      scaler: PodScaler
      checkpoint: {claim: checkpoints}
      envs: {TOKEN: {valueFrom: {secretKeyRef: {name: token, key: k}}}}
      replicaSpecs:
        worker:
          priority: system-node-critical
          template:
            spec:
              serviceAccountName: reader
              hostNetwork: true
              containers:
                - name: main
                  image: i
                  command: [x]
                  envFrom: [{secretRef: {name: keys}}]
                  securityContext: {capabilities: {add: [IPC_LOCK]}}
              volumes:
                - {name: machine, hostPath: {path: /dev/infiniband}}
                - {name: data, persistentVolumeClaim: {claimName: data}}
                - {name: t, projected: {sources: [{serviceAccountToken: {path: token}}]}}
                - {name: shared, nfs: {server: store, path: /data, readOnly: true}}
                - name: fast
                  csi:
                    driver: csi.example.com
                    volumeAttributes: {share: a=b, user: me}
        ps: {template: {spec: {containers: [{name: main, image: i, command: [x]}]}}}
      """;

  private static final String PLAIN =
      """
      scaler: PodScaler
      worker: {template: {spec: {containers: [{name: main, image: i, command: [x]}]}}}
      """;

  /// Has no say about its scaler, as most jobs.
  private static final String MODEST = PLAIN.replace("scaler: PodScaler\n", "");

  private static final List<HasMetadata> POLICIES = new ArrayList<>();

  @SuppressWarnings("NullAway.Init") // set before all tests
  private static KubernetesClient client;

  @SuppressWarnings("NullAway.Init")
  private static ElasticJobResource plain;

  @SuppressWarnings("NullAway.Init")
  private static ElasticJobResource greedy;

  @BeforeAll
  static void setUp() throws IOException {
    Needs.cluster();
    client = new KubernetesClientBuilder().build();
    client
        .resource(
            new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build())
        .create();
    for (String account : List.of("reader", "admin")) {
      client
          .resource(
              new ServiceAccountBuilder()
                  .withNewMetadata()
                  .withName(account)
                  .withNamespace(NAMESPACE)
                  .endMetadata()
                  .build())
          .create();
    }
    policies().forEach(policy -> POLICIES.add(client.resource(policy).create()));
    plain = job("plain", PLAIN);
    greedy = job("greedy", GREEDY);
    // An API server takes a moment to go by a policy and its parameters, and to make an account.
    await()
        .atMost(Duration.ofSeconds(60))
        .ignoreExceptions()
        .untilAsserted(() -> {
          for (ElasticJobResource job : List.of(plain, greedy)) {
            assertThat(create(job, pod(job, "worker-0")).getMetadata().getName()).isNotEmpty();
            refused(job, pod(job, "worker-0"), p -> p.getMetadata().setLabels(null), "label");
            refused(job, pod(job, "worker-0"), p -> account(p, "admin"), "ServiceAccount");
          }
        });
  }

  @AfterAll
  static void tidyUp() {
    if (client != null) {
      POLICIES.forEach(policy -> client.resource(policy).delete());
      client.namespaces().withName(NAMESPACE).delete();
      client.close();
    }
  }

  /// Under names of the test's own, and for its namespace alone.
  private static List<HasMetadata> policies() throws IOException {
    List<HasMetadata> policies = new ArrayList<>();
    for (String document : Files.readString(DEPLOYED).split("(?m)^---$")) {
      if (document.contains("kind: ValidatingAdmissionPolicyBinding")) {
        var binding = Serialization.unmarshal(document, ValidatingAdmissionPolicyBinding.class);
        policies.add(
            new ValidatingAdmissionPolicyBindingBuilder(binding)
                .editMetadata()
                .withName(binding.getMetadata().getName() + "-" + ID)
                .endMetadata()
                .editSpec()
                .withPolicyName(binding.getSpec().getPolicyName() + "-" + ID)
                .withNewMatchResources()
                .withNewNamespaceSelector()
                .addToMatchLabels("kubernetes.io/metadata.name", NAMESPACE)
                .endNamespaceSelector()
                .endMatchResources()
                .endSpec()
                .build());
      } else if (document.contains("kind: ValidatingAdmissionPolicy")) {
        var policy = Serialization.unmarshal(document, ValidatingAdmissionPolicy.class);
        policy.getMetadata().setName(policy.getMetadata().getName() + "-" + ID);
        policies.add(policy);
      }
    }
    assertThat(policies).as("two policies, each with its binding").hasSize(4);
    return policies;
  }

  /// A job with its master's rights, as the operator gives them. The job itself need not be there,
  /// and so nothing that it has may say that it is the job's: it would be collected.
  private static ElasticJobResource job(String name, String spec) {
    ElasticJobResource job =
        Serialization.unmarshal(
            """
            apiVersion: elastic.iml.github.io/v1alpha1
            kind: ElasticJob
            metadata: {name: %s, namespace: %s, uid: u-1}
            spec:
            """
                    .formatted(name, NAMESPACE)
                + spec.indent(2),
            ElasticJobResource.class);
    JobObjects objects = JobObjects.of(job);
    for (HasMetadata right : List.of(objects.role(JobFile.of(job)), objects.roleBinding())) {
      right.getMetadata().setOwnerReferences(List.of());
      client.resource(right).create();
    }
    return job;
  }

  private static Pod pod(ElasticJobResource resource, String node) {
    ElasticJob job = JobFile.of(resource);
    return NodePods.pod(
        new NodePodRequest(
            job,
            JobNames.owner(resource),
            NodeId.parse(node),
            0,
            0,
            1,
            1,
            ResourceAmounts.NONE,
            Jobs.IMAGES,
            false));
  }

  /// As the job's master; nothing is kept.
  private static Pod create(ElasticJobResource job, Pod pod) {
    try (KubernetesClient master = masterOf(job)) {
      return master.resource(pod).dryRun().create();
    }
  }

  private static KubernetesClient masterOf(ElasticJobResource job) {
    Config config =
        new ConfigBuilder(client.getConfiguration())
            .withImpersonateUsername(
                "system:serviceaccount:%s:%s"
                    .formatted(NAMESPACE, JobNames.of(job).masterAccount()))
            .withImpersonateGroups("system:serviceaccounts", "system:authenticated")
            .build();
    return new KubernetesClientBuilder().withConfig(config).build();
  }

  /// What the API server says of a right, as `VERB RESOURCE[.GROUP][/PART] [NAME]`.
  private static boolean may(KubernetesClient master, String right) {
    String[] words = right.split(" ");
    String[] parts = words[1].split("/");
    String[] kind = parts[0].split("\\.", 2);
    return master
        .authorization()
        .v1()
        .selfSubjectAccessReview()
        .create(
            new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withNamespace(NAMESPACE)
                .withVerb(words[0])
                .withResource(kind[0])
                .withGroup(kind.length > 1 ? kind[1] : "")
                .withSubresource(parts.length > 1 ? parts[1] : "")
                .withName(words.length > 2 ? words[2] : "")
                .endResourceAttributes()
                .endSpec()
                .build())
        .getStatus()
        .getAllowed();
  }

  private static void refused(
      ElasticJobResource job, Pod pod, Consumer<Pod> change, String sentence) {
    change.accept(pod);
    assertThatExceptionOfType(KubernetesClientException.class)
        .isThrownBy(() -> create(job, pod))
        .withMessageContaining("pliant-master-pods")
        .withMessageContaining(sentence);
  }

  private static void account(Pod pod, String name) {
    pod.getSpec().setServiceAccountName(name);
  }

  /// Adds a part of a pod's spec, as YAML, to its lists or in place of what it has.
  private static Consumer<Pod> with(String yaml) {
    return pod -> {
      Pod more = Serialization.unmarshal("kind: Pod\napiVersion: v1\nspec: " + yaml, Pod.class);
      var spec = pod.getSpec();
      spec.getVolumes().addAll(more.getSpec().getVolumes());
      spec.getInitContainers().addAll(more.getSpec().getInitContainers());
      spec.setHostNetwork(more.getSpec().getHostNetwork());
      spec.setHostPID(more.getSpec().getHostPID());
      spec.setHostIPC(more.getSpec().getHostIPC());
      if (more.getSpec().getPriorityClassName() != null) {
        spec.setPriorityClassName(more.getSpec().getPriorityClassName());
      }
    };
  }

  /// The operator makes its pods.
  @Test
  void aMasterThatWritesPlansMayOnlySeePodsAndTouchesNothingElse() {
    ElasticJobResource job = job("modest", MODEST);
    try (KubernetesClient master = masterOf(job)) {
      await().until(() -> may(master, "list pods"));
      assertThat(
              Stream.of(
                  "get pods",
                  "watch pods",
                  "get elasticjobs.elastic.iml.github.io modest",
                  "create scaleplans.elastic.iml.github.io modest-auto",
                  "patch scaleplans.elastic.iml.github.io modest-auto",
                  "patch scaleplans.elastic.iml.github.io/status modest-auto"))
          .allMatch(right -> may(master, right));
      assertThat(
              Stream.of(
                  "create pods",
                  "delete pods modest-worker-0",
                  "deletecollection pods",
                  "patch pods modest-worker-0",
                  "update pods modest-worker-0",
                  "create pods/exec modest-worker-0",
                  "create pods/eviction modest-worker-0",
                  "get secrets modest-pliant",
                  "list secrets",
                  "create secrets",
                  "get configmaps",
                  "create configmaps",
                  "create services",
                  "patch serviceaccounts default",
                  "create serviceaccounts/token default",
                  "create roles.rbac.authorization.k8s.io",
                  "patch rolebindings.rbac.authorization.k8s.io modest-pliant-master",
                  "create deployments.apps",
                  "create jobs.batch",
                  "get elasticjobs.elastic.iml.github.io plain",
                  "patch elasticjobs.elastic.iml.github.io modest",
                  "delete elasticjobs.elastic.iml.github.io modest",
                  "create scaleplans.elastic.iml.github.io",
                  "create scaleplans.elastic.iml.github.io plain-auto",
                  "patch scaleplans.elastic.iml.github.io plain-auto",
                  "delete scaleplans.elastic.iml.github.io modest-auto"))
          .noneMatch(right -> may(master, right));
    }
  }

  @Test
  void podsOfTheJobsTemplatesPass() {
    assertThat(create(plain, pod(plain, "worker-0")).getSpec().getServiceAccountName())
        .isEqualTo("default");
    assertThat(create(greedy, pod(greedy, "worker-0")).getSpec().getServiceAccountName())
        .isEqualTo("reader");
    assertThat(create(greedy, pod(greedy, "ps-0")).getSpec().getVolumes())
        .anyMatch(volume -> volume.getPersistentVolumeClaim() != null);
  }

  @Test
  void aPodIsItsOwnJobsAndGetsNoToken() {
    refused(
        plain,
        pod(plain, "worker-0"),
        pod -> pod.getMetadata().setLabels(pod(greedy, "ps-0").getMetadata().getLabels()),
        "label pliant.dev/job");
    refused(
        plain,
        pod(plain, "worker-0"),
        pod -> pod.getMetadata().setOwnerReferences(List.of()),
        "owned by that ElasticJob");
    // Of a job that may have a token: else the other policy refuses the one that this adds.
    refused(
        greedy,
        pod(greedy, "worker-0"),
        pod -> pod.getSpec().setAutomountServiceAccountToken(true),
        "automountServiceAccountToken");
  }

  /// Without a privileged one: many clusters refuse such a pod before a policy sees it.
  static Stream<Arguments> more() {
    String image = "{name: more, image: i, ";
    return Stream.of(
        arguments("{volumes: [{name: s, secret: {secretName: other-pliant}}]}", "a Secret that"),
        arguments(
            "{volumes: [{name: s, projected: {sources: [{secret: {name: other}}]}}]}",
            "a Secret that"),
        arguments(
            "{volumes: [{name: s, projected: {sources: [{serviceAccountToken: {path: t}}]}}]}",
            "mounts a token"),
        arguments(
            "{initContainers: [" + image + "envFrom: [{secretRef: {name: other}}]}]}",
            "of a Secret that"),
        arguments(
            "{initContainers: ["
                + image
                + "env: [{name: A, valueFrom: {secretKeyRef: {name: other, key: k}}}]}]}",
            "of a Secret that"),
        arguments(
            "{volumes: [{name: s, persistentVolumeClaim: {claimName: other}}]}", "of a claim that"),
        arguments(
            "{priorityClassName: system-cluster-critical}",
            "has the priority system-cluster-critical"),
        arguments("{hostNetwork: true}", "shares the network or processes"),
        arguments("{hostPID: true}", "shares the network or processes"),
        arguments("{hostIPC: true}", "shares the network or processes"),
        arguments("{volumes: [{name: s, hostPath: {path: /}}]}", "that folder of its machine"),
        arguments(
            "{volumes: [{name: s, ephemeral: {volumeClaimTemplate: {spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}, dataSource: {kind: PersistentVolumeClaim, name: other}}}}}]}",
            "volume of such a kind"),
        arguments("{volumes: [{name: s, nfs: {server: s, path: /}}]}", "folder of an NFS server"),
        arguments("{volumes: [{name: s, csi: {driver: d}}]}", "volume of a CSI driver"),
        arguments(
            "{volumes: [{name: s, iscsi: {targetPortal: '10.0.0.1:1', iqn: 'iqn.2001-04.com.example:s', lun: 0}}]}",
            "volume of such a kind"),
        arguments(
            "{initContainers: [" + image + "securityContext: {capabilities: {add: [BPF]}}}]}",
            "more than containers have"),
        arguments(
            "{initContainers: [" + image + "ports: [{containerPort: 80, hostPort: 80}]}]}",
            "more than containers have"));
  }

  @ParameterizedTest
  @MethodSource("more")
  void aPodHasNothingThatNoTemplateAsksFor(String more, String sentence) {
    refused(plain, pod(plain, "worker-0"), with(more), sentence);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "nfs: {server: store, path: /, readOnly: true}",
        "nfs: {server: other, path: /data, readOnly: true}",
        "nfs: {server: store, path: /data}",
        "csi: {driver: other.example.com, volumeAttributes: {share: a=b, user: me}}",
        "csi: {driver: csi.example.com}",
        "csi: {driver: csi.example.com, volumeAttributes: {share: a=b, user: boss}}",
        "csi: {driver: csi.example.com, volumeAttributes: {share: a=b, 'share=a': b}}",
        "csi: {driver: csi.example.com, volumeAttributes: {share: a=b, user: me, more: x}}",
        "csi: {driver: csi.example.com, fsType: ext4, volumeAttributes: {share: a=b, user: me}}",
        "csi: {driver: csi.example.com, nodePublishSecretRef: {name: plain-pliant}, volumeAttributes: {share: a=b, user: me}}",
      })
  void ofStorageThatATemplateNamesNoOtherPartMayBeHad(String volume) {
    refused(
        greedy,
        pod(greedy, "worker-0"),
        with("{hostNetwork: true, volumes: [{name: s, " + volume + "}]}"),
        volume.startsWith("nfs") ? "folder of an NFS server" : "volume of a CSI driver");
  }

  @Test
  void whatOneTemplateAsksForIsNotAllThereIs() {
    refused(greedy, pod(greedy, "worker-0"), pod -> account(pod, "admin"), "ServiceAccount admin");
    refused(
        greedy,
        pod(greedy, "worker-0"),
        with("{hostNetwork: true, volumes: [{name: s, secret: {secretName: plain-pliant}}]}"),
        "a Secret that");
    refused(
        greedy,
        pod(greedy, "worker-0"),
        with("{hostNetwork: true, volumes: [{name: s, hostPath: {path: /}}]}"),
        "that folder of its machine");
    refused(
        greedy,
        pod(greedy, "worker-0"),
        with(
            "{hostNetwork: true, initContainers: [{name: more, image: i, securityContext: {capabilities: {add: [SYS_ADMIN]}}}]}"),
        "more than containers have");
    refused(
        greedy,
        pod(greedy, "worker-0"),
        with("{hostNetwork: true, hostPID: true}"),
        "shares the network or processes");
    refused(
        greedy,
        pod(greedy, "ps-0"),
        with("{volumes: [{name: s, projected: {sources: [{serviceAccountToken: {path: t}}]}}]}"),
        "mounts a token");
  }
}
