package dev.pliant.crds;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a job asks for.
///
/// @param envs given to every process of the job; a container's own `env` comes after and wins
/// @param replicaSpecs by role, in the order of the file
public record ElasticJobSpec(
    DistributionStrategy distributionStrategy,
    List<EnvVar> envs,
    Map<String, ReplicaSpec> replicaSpecs) {
  /// The role that every job has.
  public static final String WORKER = "worker";

  public ElasticJobSpec {
    if (!replicaSpecs.containsKey(WORKER)) {
      throw new IllegalArgumentException("a job has workers: " + replicaSpecs.keySet());
    }
    envs = List.copyOf(envs);
    replicaSpecs = Collections.unmodifiableMap(new LinkedHashMap<>(replicaSpecs));
  }

  public ReplicaSpec worker() {
    return java.util.Objects.requireNonNull(replicaSpecs.get(WORKER));
  }
}
