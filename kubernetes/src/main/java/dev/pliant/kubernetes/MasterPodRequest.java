package dev.pliant.kubernetes;

import dev.pliant.crds.ElasticJob;
import io.fabric8.kubernetes.api.model.OwnerReference;

/// A job's master that is to have a pod.
///
/// @param owner the job, as [JobNames#owner] makes it
/// @param number counts the master's pods from 0
/// @param restricted whether the namespace demands Pod Security's `restricted`, which the master
///   must know where it makes pods itself
public record MasterPodRequest(
    ElasticJob job, OwnerReference owner, int number, Images images, boolean restricted) {

  JobNames names() {
    return new JobNames(job.id());
  }
}
