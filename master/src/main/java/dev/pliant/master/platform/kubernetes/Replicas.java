package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobSpec;
import dev.pliant.crds.api.RoleSpec;
import java.util.LinkedHashMap;
import java.util.Map;

/// Brings `replicas`, which people and autoscalers write without a look at the bounds, within them.
final class Replicas {
  private Replicas() {}

  /// The same job with each role's `replicas` clamped to its `minReplicas` and `maxReplicas`.
  static ElasticJobResource within(ElasticJobResource job) {
    JobSpec spec = job.getSpec();
    if (spec == null || spec.replicaSpecs() == null) {
      return job;
    }
    Map<String, RoleSpec> roles = new LinkedHashMap<>();
    spec.replicaSpecs().forEach((name, role) -> roles.put(name, within(role)));
    if (roles.equals(spec.replicaSpecs())) {
      return job;
    }
    ElasticJobResource clamped = new ElasticJobResource();
    clamped.setMetadata(job.getMetadata());
    clamped.setStatus(job.getStatus());
    clamped.setSpec(
        new JobSpec(
            spec.distributionStrategy(),
            spec.optimizeMode(),
            spec.brainService(),
            spec.resourceLimits(),
            spec.envs(),
            spec.suspend(),
            spec.storage(),
            spec.checkpoint(),
            spec.ttl(),
            spec.scaler(),
            spec.cleanPodPolicy(),
            spec.enableElasticScheduling(),
            spec.enableDynamicSharding(),
            roles,
            spec.worker(),
            spec.ps(),
            spec.parameterServer(),
            spec.parameterServerOfSeed(),
            spec.chief(),
            spec.evaluator(),
            spec.master(),
            spec.masterOfDlrover()));
    return clamped;
  }

  private static RoleSpec within(RoleSpec role) {
    Integer wish = role.replicas();
    if (wish == null) {
      return role;
    }
    int least = role.minReplicas() == null ? wish : role.minReplicas();
    int most = role.maxReplicas() == null ? wish : role.maxReplicas();
    int clamped = Math.min(Math.max(wish, least), most);
    return clamped == wish
        ? role
        : new RoleSpec(
            clamped,
            role.minReplicas(),
            role.maxReplicas(),
            role.restartCount(),
            role.autoScale(),
            role.restartTimeout(),
            role.priority(),
            role.nprocPerNode(),
            role.restartPolicy(),
            role.template());
  }
}
