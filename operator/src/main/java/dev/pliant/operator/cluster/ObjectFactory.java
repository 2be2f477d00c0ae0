package dev.pliant.operator.cluster;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.kubernetes.ClaimFolder;
import dev.pliant.kubernetes.CleanerPodRequest;
import dev.pliant.kubernetes.CleanerPods;
import dev.pliant.kubernetes.Images;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.kubernetes.JobObjects;
import dev.pliant.kubernetes.MasterPodRequest;
import dev.pliant.kubernetes.MasterPods;
import dev.pliant.kubernetes.NodePodRequest;
import dev.pliant.kubernetes.NodePods;
import dev.pliant.operator.decision.JobObject;
import dev.pliant.rpc.identity.JobCertificate;
import dev.pliant.rpc.identity.JobToken;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Makes a job's pods and objects, as this operator is configured.
record ObjectFactory(Images images, SecureRandom random, InstantSource clock) {
  /// On each object: how it was made. One that was made otherwise is made anew.
  static final String REVISION = "pliant.dev/revision";

  /// Counts the ways in which this operator and those before it have made objects.
  private static final String GENERATION = "5";

  static Class<? extends HasMetadata> type(JobObject object) {
    return switch (object) {
      case SECRET -> Secret.class;
      case SERVICE_ACCOUNT -> ServiceAccount.class;
      case ROLE -> io.fabric8.kubernetes.api.model.rbac.Role.class;
      case ROLE_BINDING -> RoleBinding.class;
      case MASTER_SERVICE, NODES_SERVICE -> Service.class;
      case NETWORK_POLICY -> NetworkPolicy.class;
    };
  }

  static String name(JobObject object, JobNames names) {
    return switch (object) {
      case SECRET -> names.secret();
      case SERVICE_ACCOUNT, ROLE, ROLE_BINDING -> names.masterAccount();
      case MASTER_SERVICE -> names.masterService();
      case NODES_SERVICE -> names.nodesService();
      case NETWORK_POLICY -> names.networkPolicy();
    };
  }

  /// How `object` is made of `job`. A Secret is made once and for all.
  static String revision(JobObject object, ElasticJob job) {
    return switch (object) {
      case SECRET -> "once";
      case ROLE -> GENERATION + "-" + JobObjects.roleRevision(job);
      case NETWORK_POLICY -> GENERATION + JobObjects.policyRevision(job);
      case SERVICE_ACCOUNT, ROLE_BINDING, MASTER_SERVICE, NODES_SERVICE -> GENERATION;
    };
  }

  HasMetadata object(JobObject object, ElasticJobResource resource, ElasticJob job) {
    JobObjects objects = JobObjects.of(resource);
    HasMetadata made =
        switch (object) {
          case SECRET -> secret(objects);
          case SERVICE_ACCOUNT -> objects.serviceAccount();
          case ROLE -> objects.role(job);
          case ROLE_BINDING -> objects.roleBinding();
          case MASTER_SERVICE -> objects.masterService();
          case NODES_SERVICE -> objects.nodesService();
          case NETWORK_POLICY -> objects.networkPolicy(job);
        };
    Map<String, String> annotations = new HashMap<>();
    if (made.getMetadata().getAnnotations() != null) {
      annotations.putAll(made.getMetadata().getAnnotations());
    }
    annotations.put(REVISION, revision(object, job));
    made.getMetadata().setAnnotations(annotations);
    return made;
  }

  private Secret secret(JobObjects objects) {
    JobNames names = objects.names();
    JobCertificate certificate =
        JobCertificate.make(names.job(), names.masterHosts(), clock.instant(), random);
    return objects.secret(
        JobToken.make(names.job(), random).value(),
        certificate.authority(),
        certificate.certificate(),
        certificate.privateKey());
  }

  Pod master(ElasticJobResource resource, ElasticJob job, int number, boolean restricted) {
    return MasterPods.pod(
        new MasterPodRequest(job, JobNames.owner(resource), number, images, restricted));
  }

  /// @param job what its spec means, or null where it is invalid
  Pod cleaner(
      ElasticJobResource resource,
      @Nullable ElasticJob job,
      List<ClaimFolder> folders,
      boolean restricted) {
    return CleanerPods.pod(
        new CleanerPodRequest(
            JobNames.of(resource), JobNames.owner(resource), job, folders, images, restricted));
  }

  /// @param plan what the master says of its nodes, where it has said anything yet
  Pod node(
      ElasticJobResource resource,
      ElasticJob job,
      @Nullable ScalePlanSpec plan,
      PodPlan node,
      boolean restricted) {
    return NodePods.pod(
        NodePodRequest.of(job, JobNames.owner(resource), node, plan, images, restricted));
  }
}
