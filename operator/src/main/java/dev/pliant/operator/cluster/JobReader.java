package dev.pliant.operator.cluster;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.crds.kubernetes.JobNames;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a job's spec means, or why it means nothing: all that could go wrong with its pods is tried
/// before the first of them is made.
///
/// @param generation of the job that was read
record JobReader(
    String uid,
    long generation,
    @Nullable JobNames names,
    @Nullable ElasticJob job,
    @Nullable String fault) {

  static JobReader read(ElasticJobResource resource, ObjectFactory factory) {
    String uid = resource.getMetadata().getUid();
    long generation = Objects.requireNonNullElse(resource.getMetadata().getGeneration(), 0L);
    JobNames names = null;
    try {
      names = JobNames.of(resource);
      ElasticJob job = JobFile.of(resource);
      tryPods(resource, job, names, factory);
      return new JobReader(uid, generation, names, job, null);
    } catch (PliantException e) {
      return new JobReader(uid, generation, names, null, String.valueOf(e.getMessage()));
    } catch (IllegalArgumentException e) {
      return new JobReader(
          uid, generation, names, null, "the job's spec cannot be read: " + e.getMessage());
    }
  }

  boolean isOf(ElasticJobResource resource) {
    return uid.equals(resource.getMetadata().getUid())
        && generation == Objects.requireNonNullElse(resource.getMetadata().getGeneration(), 0L);
  }

  private static void tryPods(
      ElasticJobResource resource, ElasticJob job, JobNames names, ObjectFactory factory) {
    for (Role role : job.spec().replicaSpecs().keySet()) {
      if (role != Role.MASTER) {
        RoleBounds.of(job.spec(), role);
        String pod = names.pod(new NodeId(role.label(), 0));
        factory.node(resource, job, null, new PodPlan(pod, role.label(), 0, 0, 0, null), false);
      }
    }
    factory.master(resource, job, 0, false);
  }
}
