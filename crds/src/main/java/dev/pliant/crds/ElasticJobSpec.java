package dev.pliant.crds;

import dev.pliant.crds.api.CleanPodPolicy;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.model.ResourceLimits;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What a job asks for.
///
/// @param brainService where Brain answers, HOST:PORT, or null
/// @param resourceLimits what all nodes together may use at most, as Kubernetes quantities by name
/// @param envs given to every process of the job; a container's own `env` comes after and wins
/// @param suspend whether the job is to wait until this is taken back
/// @param storage where the journal is kept on a cluster, or null
/// @param checkpoint where the model is kept, or null
/// @param ttlSeconds how long a job that ended is kept, or null for as long as its user wishes
/// @param scaler who makes the job's pods on a cluster
/// @param cleanPodPolicy which pods of a job that ended are removed from a cluster
/// @param replicaSpecs by role, in the order of the file
/// @param unused what published manifests may say and Pliant does without, by its path in the file
public record ElasticJobSpec(
    DistributionStrategy distributionStrategy,
    OptimizeMode optimizeMode,
    @Nullable String brainService,
    Map<String, String> resourceLimits,
    List<EnvVar> envs,
    boolean suspend,
    @Nullable Storage storage,
    @Nullable Checkpoint checkpoint,
    @Nullable Integer ttlSeconds,
    ScalerKind scaler,
    CleanPodPolicy cleanPodPolicy,
    Map<Role, ReplicaSpec> replicaSpecs,
    List<String> unused) {

  public ElasticJobSpec {
    if (!replicaSpecs.containsKey(Role.WORKER)) {
      throw new IllegalArgumentException("a job has workers: " + replicaSpecs.keySet());
    }
    resourceLimits = Collections.unmodifiableMap(new LinkedHashMap<>(resourceLimits));
    envs = List.copyOf(envs);
    unused = List.copyOf(unused);
    replicaSpecs = Collections.unmodifiableMap(new LinkedHashMap<>(replicaSpecs));
  }

  /// [#resourceLimits] in the units of nodes.
  public ResourceLimits limits() {
    return ResourceAmounts.ofLimits(resourceLimits).limits();
  }

  /// Whether a node of the job is on its machine's own network. Its master never is.
  public boolean hostNetwork() {
    return replicaSpecs.entrySet().stream()
        .anyMatch(role -> role.getKey() != Role.MASTER && role.getValue().template().hostNetwork());
  }

  public ReplicaSpec worker() {
    return Objects.requireNonNull(replicaSpecs.get(Role.WORKER));
  }
}
