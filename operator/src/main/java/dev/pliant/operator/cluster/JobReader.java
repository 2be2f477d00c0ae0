package dev.pliant.operator.cluster;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.JobFile;
import dev.pliant.crds.PodTemplate;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.PodPlan;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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
  private static final Logger log = LoggerFactory.getLogger(JobReader.class);

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
    } catch (RuntimeException e) {
      // Whatever it is: a look that failed would be tried for ever, and the job's user not told.
      log.warn(
          "the spec of job {}/{} cannot be read",
          resource.getMetadata().getNamespace(),
          resource.getMetadata().getName(),
          e);
      return new JobReader(
          uid,
          generation,
          names,
          null,
          "the job's spec cannot be read; look for what is empty or of the wrong kind in it, and report this: "
              + e);
    }
  }

  boolean isOf(ElasticJobResource resource) {
    return uid.equals(resource.getMetadata().getUid())
        && generation == Objects.requireNonNullElse(resource.getMetadata().getGeneration(), 0L);
  }

  /// Whether the pods of the job would be those of the other reading, but for how many there are.
  boolean hasPodsOf(JobReader other) {
    return job != null
        && other.job != null
        && job.spec().envs().equals(other.job.spec().envs())
        && templates(job).equals(templates(other.job));
  }

  private static Map<Role, PodTemplate> templates(ElasticJob job) {
    Map<Role, PodTemplate> templates = new EnumMap<>(Role.class);
    job.spec().replicaSpecs().forEach((role, spec) -> templates.put(role, spec.template()));
    return templates;
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
