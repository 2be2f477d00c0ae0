package dev.pliant.cli.kubernetes;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.ResourceAmounts;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.kubernetes.Images;
import dev.pliant.crds.kubernetes.JobNames;
import dev.pliant.crds.kubernetes.NodePodRequest;
import dev.pliant.crds.kubernetes.NodePods;
import dev.pliant.crds.kubernetes.PodSecurity;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.dsl.FieldValidateable.Validation;
import java.util.Map;

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
  void check(String file, ElasticJob job, JobNames names) {
    boolean restricted = restricted(names.namespace());
    for (Map.Entry<Role, ReplicaSpec> role : job.spec().replicaSpecs().entrySet()) {
      if (role.getKey() != Role.MASTER) {
        check(file, job, role.getKey(), restricted);
      }
    }
  }

  private void check(String file, ElasticJob job, Role role, boolean restricted) {
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
    try {
      var unused =
          cluster
              .client()
              .pods()
              .inNamespace(job.metadata().namespace())
              .resource(pod)
              .dryRun()
              .fieldValidation(Validation.STRICT)
              .create();
    } catch (KubernetesClientException e) {
      if (e.getCode() == 403 && String.valueOf(e.getMessage()).contains("exceeded quota")) {
        return; // The job waits until there is room again.
      }
      if (e.getCode() == 403 && !byAdmission(e)) {
        return; // Whether a pod may be made is the operator's matter.
      }
      throw e.getCode() == 400 || e.getCode() == 403 || e.getCode() == 422
          ? new PliantException(
              ErrorCode.BAD_JOB_FILE,
              "%s: the cluster refuses the pod template of role '%s': %s"
                  .formatted(file, role.label(), ClusterFaults.sentence(e)),
              e)
          : ClusterFaults.of(e, "check the pod template", cluster.name());
    }
  }

  /// Whether it is the pod that is refused, not the user.
  private static boolean byAdmission(KubernetesClientException fault) {
    String said = ClusterFaults.sentence(fault);
    return !said.contains(" cannot create resource ");
  }

  private boolean restricted(String namespace) {
    try {
      return PodSecurity.isEnforcedIn(cluster.client().namespaces().withName(namespace).get());
    } catch (KubernetesClientException e) {
      return false; // Not for this user to see.
    }
  }
}
