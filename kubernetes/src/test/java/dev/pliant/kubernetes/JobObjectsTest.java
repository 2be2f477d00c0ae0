package dev.pliant.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.api.ElasticJobResource;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicySpec;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.client.utils.Serialization;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JobObjectsTest {
  private static final String YAML =
      """
      apiVersion: elastic.iml.github.io/v1alpha1
      kind: ElasticJob
      metadata: {name: digits, namespace: team-a, uid: u-1}
      spec:
        worker: {template: {spec: {containers: [{name: main, command: [x]}]}}}
      """;
  private static final JobObjects OBJECTS = JobObjects.of(resource(YAML));

  @Test
  void everyObjectIsTheJobs() {
    ElasticJob job = JobFile.of(resource(YAML));
    List<HasMetadata> all =
        List.of(
            OBJECTS.secret("t", "a", "c", "k"),
            OBJECTS.serviceAccount(),
            OBJECTS.role(job),
            OBJECTS.roleBinding(),
            OBJECTS.masterService(),
            OBJECTS.nodesService(),
            OBJECTS.networkPolicy(job));

    assertThat(all)
        .allSatisfy(object -> {
          assertThat(object.getMetadata().getNamespace()).isEqualTo("team-a");
          assertThat(object.getMetadata().getLabels()).containsEntry("pliant.dev/job", "digits");
          OwnerReference owner = object.getMetadata().getOwnerReferences().getFirst();
          assertThat(owner.getUid()).isEqualTo("u-1");
          assertThat(owner.getKind()).isEqualTo("ElasticJob");
          assertThat(owner.getController()).isTrue();
          assertThat(owner.getBlockOwnerDeletion()).isTrue();
        });
  }

  @Test
  void theSecretHoldsWhatTheJobsPodsKnowEachOtherBy() {
    Secret secret = OBJECTS.secret("t", "a", "c", "k");

    assertThat(secret.getStringData())
        .containsEntry("token", "t")
        .containsEntry("ca.pem", "a")
        .containsEntry("server.pem", "c")
        .containsEntry("server.key", "k");
    assertThat(secret.getImmutable()).isTrue();
  }

  @Test
  void theMasterMayMakePodsOnlyWhereItIsTheOneWhoDoes() {
    assertThat(rules(""))
        .containsExactly(
            "elastic.iml.github.io elasticjobs [digits] get,list,watch",
            "elastic.iml.github.io elasticjobs/finalizers [digits] update",
            " pods [] get,list,watch",
            "elastic.iml.github.io scaleplans [] get,list,watch",
            "elastic.iml.github.io scaleplans [digits-auto] create,patch",
            "elastic.iml.github.io scaleplans/status [] patch",
            "elastic.easydl.org jobresources [] get,list,watch",
            "elastic.easydl.org jobresources/status [] patch");
    assertThat(rules("  scaler: PodScaler\n")).contains(" pods [] get,list,watch,create,delete");
    assertThat(rules("  scaler: JobResource\n"))
        .contains(
            "elastic.iml.github.io scaleplans [] get,list,watch",
            "elastic.easydl.org jobresources [digits-auto] create,patch");
  }

  @Test
  void theRoleOfOneWhoMakesPodsSaysWhatTheyNeed() {
    ElasticJob job = JobFile.of(resource(YAML + "  scaler: PodScaler\n"));
    ElasticJob other =
        JobFile.of(resource(YAML + "  scaler: PodScaler\n  checkpoint: {claim: disk}\n"));

    assertThat(OBJECTS.role(job).getMetadata().getLabels())
        .containsEntry("pliant.dev/makes-pods", "true");
    assertThat(OBJECTS.role(other).getMetadata().getAnnotations())
        .containsEntry("pliant.dev/pod-claims", "disk");
    assertThat(OBJECTS.role(JobFile.of(resource(YAML))).getMetadata().getLabels())
        .doesNotContainKey("pliant.dev/makes-pods");
    assertThat(JobObjects.roleRevision(job)).isNotEqualTo(JobObjects.roleRevision(other));
  }

  @Test
  void parameterServersHaveNamesAndTheMasterAnAddress() {
    Service master = OBJECTS.masterService();
    Service nodes = OBJECTS.nodesService();

    assertThat(master.getMetadata().getName()).isEqualTo("digits-master");
    assertThat(master.getSpec().getSelector()).containsEntry("pliant.dev/role", "master");
    assertThat(master.getSpec().getPorts())
        .hasSize(1)
        .first()
        .satisfies(port -> {
          assertThat(port.getPort()).isEqualTo(7077);
          assertThat(port.getName()).isEqualTo("grpc");
        });
    assertThat(nodes.getMetadata().getName()).isEqualTo("digits");
    assertThat(nodes.getSpec().getClusterIP()).isEqualTo("None");
    assertThat(nodes.getSpec().getSelector()).containsEntry("pliant.dev/role", "ps");
  }

  @Test
  void onlyTheJobsPodsReachTheMaster() {
    NetworkPolicySpec policy = OBJECTS.networkPolicy(JobFile.of(resource(YAML))).getSpec();

    assertThat(policy.getPodSelector().getMatchLabels())
        .containsEntry("pliant.dev/job", "digits")
        .containsEntry("pliant.dev/role", "master");
    assertThat(policy.getPolicyTypes()).containsExactly("Ingress");
    assertThat(policy.getIngress())
        .hasSize(1)
        .first()
        .satisfies(rule -> {
          assertThat(rule.getFrom()).hasSize(1);
          assertThat(rule.getFrom().getFirst().getNamespaceSelector()).isNull();
          assertThat(rule.getFrom().getFirst().getPodSelector().getMatchLabels())
              .containsOnlyKeys("pliant.dev/job");
          assertThat(rule.getPorts()).hasSize(1);
        });
  }

  @Test
  void aPodOnItsMachinesNetworkReachesTheMasterToo() {
    String server =
        "  ps: {template: {spec: {hostNetwork: true, containers: [{name: main, command: [x]}]}}}\n";
    ElasticJob plain = JobFile.of(resource(YAML));
    ElasticJob onHost = JobFile.of(resource(YAML + server));
    ElasticJob master = JobFile.of(resource(YAML + server.replace("ps:", "master:")));

    assertThat(OBJECTS.networkPolicy(onHost).getSpec().getIngress())
        .singleElement()
        .satisfies(rule -> {
          assertThat(rule.getFrom()).as("no selector finds it").isEmpty();
          assertThat(rule.getPorts()).hasSize(1);
        });
    assertThat(JobObjects.policyRevision(onHost)).isNotEqualTo(JobObjects.policyRevision(plain));
    assertThat(JobObjects.policyRevision(master))
        .as("its own pod is on the cluster's network")
        .isEqualTo(JobObjects.policyRevision(plain));
  }

  private static List<String> rules(String spec) {
    return OBJECTS.role(JobFile.of(resource(YAML + spec))).getRules().stream()
        .map(JobObjectsTest::text)
        .toList();
  }

  private static String text(PolicyRule rule) {
    return "%s %s %s %s"
        .formatted(
            String.join(",", rule.getApiGroups()),
            String.join(",", rule.getResources()),
            rule.getResourceNames(),
            String.join(",", rule.getVerbs()));
  }

  private static ElasticJobResource resource(String yaml) {
    return Serialization.unmarshal(yaml, ElasticJobResource.class);
  }
}
