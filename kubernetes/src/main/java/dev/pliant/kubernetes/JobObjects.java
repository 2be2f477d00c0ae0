package dev.pliant.kubernetes;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalerKind;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyBuilder;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeer;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPeerBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.rbac.RoleBindingBuilder;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.CustomResource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// The objects of a job beside its pods.
///
/// @param owner the job, as [JobNames#owner] makes it
public record JobObjects(JobNames names, OwnerReference owner) {
  private static final String RBAC = "rbac.authorization.k8s.io";

  public static JobObjects of(ElasticJobResource resource) {
    return new JobObjects(JobNames.of(resource), JobNames.owner(resource));
  }

  /// What the job's pods know each other by. It is made once: a new one would shut out every pod
  /// that has the old.
  public Secret secret(String token, String authority, String certificate, String privateKey) {
    Map<String, String> data = new LinkedHashMap<>();
    data.put(JobNames.TOKEN_KEY, token);
    data.put(JobNames.AUTHORITY_KEY, authority);
    data.put(JobNames.CERTIFICATE_KEY, certificate);
    data.put(JobNames.PRIVATE_KEY_KEY, privateKey);
    return new SecretBuilder()
        .withMetadata(metadata(names.secret()))
        .withType("Opaque")
        .withImmutable(true)
        .withStringData(data)
        .build();
  }

  public ServiceAccount serviceAccount() {
    return new ServiceAccountBuilder()
        .withMetadata(metadata(names.masterAccount()))
        .withAutomountServiceAccountToken(false)
        .build();
  }

  /// What the master may do: see its job and the pods and plans of its namespace, write its own
  /// plan, of the kind that its scaler writes, and say of users' plans what came of them. Only one
  /// that makes its pods itself may make and delete pods; policies of the cluster hold it to its
  /// own job's, and to what [PodNeeds] says of them.
  public Role role(ElasticJob job) {
    List<PolicyRule> rules = new ArrayList<>();
    rules.add(
        rule(ElasticJobResource.class, "", List.of("get", "list", "watch"))
            .withResourceNames(names.job().name())
            .build());
    // What it makes lets the job's deletion wait for it, which some clusters want to be allowed.
    rules.add(
        rule(ElasticJobResource.class, "/finalizers", List.of("update"))
            .withResourceNames(names.job().name())
            .build());
    rules.add(
        new PolicyRuleBuilder()
            .withApiGroups("")
            .withResources("pods")
            .withVerbs(
                job.spec().scaler() == ScalerKind.PodScaler
                    ? List.of("get", "list", "watch", "create", "delete")
                    : List.of("get", "list", "watch"))
            .build());
    var written =
        job.spec().scaler() == ScalerKind.JobResource ? JobResource.class : ScalePlan.class;
    for (var plan : List.of(ScalePlan.class, JobResource.class)) {
      rules.add(rule(plan, "", List.of("get", "list", "watch")).build());
      if (plan == written) {
        // It applies its plan, by name: then the name counts where it is made, too.
        rules.add(
            rule(plan, "", List.of("create", "patch")).withResourceNames(names.plan()).build());
      }
      rules.add(rule(plan, "/status", List.of("patch")).build());
    }
    Role role =
        new RoleBuilder().withMetadata(metadata(names.masterAccount())).withRules(rules).build();
    if (job.spec().scaler() == ScalerKind.PodScaler) {
      role.getMetadata().getLabels().put(JobNames.MAKES_PODS_LABEL, "true");
      role.getMetadata().setAnnotations(PodNeeds.of(job).annotations());
    }
    return role;
  }

  /// Changes with all that [#role] is made from.
  public static String roleRevision(ElasticJob job) {
    return job.spec().scaler() == ScalerKind.PodScaler
        ? "%s-%08x".formatted(job.spec().scaler(), PodNeeds.of(job).annotations().hashCode())
        : job.spec().scaler().toString();
  }

  private static PolicyRuleBuilder rule(
      Class<? extends CustomResource<?, ?>> type, String part, List<String> verbs) {
    return new PolicyRuleBuilder()
        .withApiGroups(CustomResource.getCRDName(type).replaceFirst("^[^.]*\\.", ""))
        .withResources(CustomResource.getCRDName(type).replaceFirst("\\..*$", "") + part)
        .withVerbs(verbs);
  }

  public RoleBinding roleBinding() {
    return new RoleBindingBuilder()
        .withMetadata(metadata(names.masterAccount()))
        .withNewRoleRef(RBAC, "Role", names.masterAccount())
        .addNewSubject("", "ServiceAccount", names.masterAccount(), names.namespace())
        .build();
  }

  /// Where the master is found, whichever pod it is. A master that is not ready yet refuses a
  /// connection at once, which is sooner than a network that does not know it.
  public Service masterService() {
    return new ServiceBuilder()
        .withMetadata(metadata(names.masterService()))
        .withNewSpec()
        .withSelector(names.masterSelector())
        .withPublishNotReadyAddresses(true)
        .addNewPort()
        .withName(JobNames.MASTER_PORT_NAME)
        .withProtocol("TCP")
        .withPort(JobNames.MASTER_PORT)
        .withNewTargetPort(JobNames.MASTER_PORT)
        .endPort()
        .endSpec()
        .build();
  }

  /// Gives the job's parameter servers names of their own: see [JobNames#host]. Not its workers,
  /// whom nobody looks for by name: a cluster would write down anew where all are with each that
  /// comes or goes, which takes it longer than the pod itself.
  public Service nodesService() {
    return new ServiceBuilder()
        .withMetadata(metadata(names.nodesService()))
        .withNewSpec()
        .withClusterIP("None")
        .withSelector(names.roleSelector(dev.pliant.crds.Role.PARAMETER_SERVER.label()))
        .withPublishNotReadyAddresses(true)
        .endSpec()
        .build();
  }

  /// Only the job's own pods reach the master. Whoever forwards a port to it comes by its machine,
  /// and so does a pod that is on its machine's own network, whose labels no rule sees: of a job
  /// with such pods whoever reaches the port may knock, and its token is what lets them in.
  public NetworkPolicy networkPolicy(ElasticJob job) {
    return new NetworkPolicyBuilder()
        .withMetadata(metadata(names.networkPolicy()))
        .withNewSpec()
        .withNewPodSelector()
        .withMatchLabels(names.masterSelector())
        .endPodSelector()
        .withPolicyTypes("Ingress")
        .addNewIngress()
        .withFrom(job.spec().hostNetwork() ? List.of() : List.of(ownPods()))
        .addNewPort()
        .withNewPort(JobNames.MASTER_PORT)
        .withProtocol("TCP")
        .endPort()
        .endIngress()
        .endSpec()
        .build();
  }

  private NetworkPolicyPeer ownPods() {
    return new NetworkPolicyPeerBuilder()
        .withNewPodSelector()
        .withMatchLabels(names.podSelector())
        .endPodSelector()
        .build();
  }

  /// Changes with all that [#networkPolicy] is made from; empty for most jobs.
  public static String policyRevision(ElasticJob job) {
    return job.spec().hostNetwork() ? "-host" : "";
  }

  private ObjectMeta metadata(String name) {
    return new ObjectMetaBuilder()
        .withName(name)
        .withNamespace(names.namespace())
        .withLabels(new LinkedHashMap<>(names.labels()))
        .withOwnerReferences(owner)
        .build();
  }
}
