package dev.pliant.cli.kubernetes;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.kubernetes.Images;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.NodePodRequest;
import dev.pliant.kubernetes.NodePods;
import dev.pliant.kubernetes.PodSecurity;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import java.util.Map;
import java.util.function.Consumer;

/// Lets the API server look at the pods that a job would have, without making them: a template that
/// means nothing to it, or that the namespace does not admit, is refused with its own sentence
/// before the job is made. Who may not make pods finds out from the job's conditions.
final class TemplateCheck {
  /// It is never pulled.
  private static final Images ANY =
      new Images("pliant/master", "pliant/agent", Images.DEFAULT_PULL_POLICY);

  /// Taken off again: the job is not there yet.
  private static final OwnerReference NOBODY =
      new OwnerReferenceBuilder()
          .withApiVersion(ElasticJob.API_VERSION)
          .withKind(ElasticJob.KIND)
          .withName("x")
          .withUid("x")
          .build();

  private final Cluster cluster;

  TemplateCheck(Cluster cluster) {
    this.cluster = cluster;
  }

  /// @param file names it in errors
  /// @param notes hears where the cluster cannot say
  void check(String file, ElasticJob job, JobNames names, Consumer<String> notes) {
    boolean restricted = restricted(names.namespace());
    for (Map.Entry<Role, ReplicaSpec> role : job.spec().replicaSpecs().entrySet()) {
      if (role.getKey() != Role.MASTER) {
        check(file, job, role.getKey(), restricted, notes);
      }
    }
  }

  private void check(
      String file, ElasticJob job, Role role, boolean restricted, Consumer<String> notes) {
    try {
      tryOut(pod(job, role, restricted), job.metadata().namespace());
    } catch (KubernetesClientException e) {
      if (ClusterFaults.knowsNoDryRun(e)) {
        notes.accept(
            "the pod template of role '%s' is not checked before: %s"
                .formatted(role.label(), ClusterFaults.sentence(e)));
      } else if (isOfThePod(e)) {
        throw refused(file, role, e);
      }
    }
  }

  private static Pod pod(ElasticJob job, Role role, boolean restricted) {
    RoleBounds workers = RoleBounds.of(job.spec(), Role.WORKER);
    NodePodRequest request =
        new NodePodRequest(
            job,
            NOBODY,
            new NodeId(role.label(), 0),
            0,
            0,
            workers.wish(),
            workers.max(),
            ResourceAmounts.NONE,
            ANY,
            restricted);
    Pod pod = NodePods.pod(request);
    pod.getMetadata().setGenerateName(pod.getMetadata().getName() + "-");
    pod.getMetadata().setName(null); // One of that name may be there.
    pod.getMetadata().setOwnerReferences(null);
    return pod;
  }

  private void tryOut(Pod pod, String namespace) {
    var unused =
        cluster
            .client()
            .pods()
            .inNamespace(namespace)
            .resource(pod)
            .dryRun()
            .fieldValidation(Validation.STRICT)
            .create();
  }

  private PliantException refused(String file, Role role, KubernetesClientException fault) {
    return switch (fault.getCode()) {
      case 400, 403, 422 ->
          new PliantException(
              ErrorCode.BAD_JOB_FILE,
              "%s: the cluster refuses the pod template of role '%s': %s"
                  .formatted(file, role.label(), ClusterFaults.sentence(fault)),
              fault);
      default -> ClusterFaults.of(fault, "check the pod template", cluster.name());
    };
  }

  /// Whether it is the pod that is refused: where there is no room, the job waits until there is;
  /// whether a pod may be made is the operator's matter, not this user's.
  private static boolean isOfThePod(KubernetesClientException fault) {
    String said = ClusterFaults.sentence(fault);
    return fault.getCode() != 403
        || (!said.contains("exceeded quota") && !said.contains(" cannot create resource "));
  }

  private boolean restricted(String namespace) {
    try {
      return PodSecurity.isEnforcedIn(cluster.client().namespaces().withName(namespace).get());
    } catch (KubernetesClientException e) {
      return false; // Not for this user to see.
    }
  }
}
