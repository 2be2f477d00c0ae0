package dev.pliant.cli.run;

import dev.pliant.crds.Checkpoint;
import dev.pliant.crds.Container;
import dev.pliant.crds.DistributionStrategy;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.ElasticJobSpec;
import dev.pliant.crds.EnvVar;
import dev.pliant.crds.OptimizeMode;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.Role;
import dev.pliant.crds.api.CleanPodPolicy;
import dev.pliant.crds.api.ScalerKind;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What of a job file this machine cannot do, and what it has no use for. The same file may mean
/// more on a cluster: the first kind is an error of the run, the second is said once.
final class LocalFit {
  private LocalFit() {}

  /// @throws PliantException where the job cannot run here
  static void check(Path file, ElasticJob job) {
    ElasticJobSpec spec = job.spec();
    if (spec.suspend()) {
      throw fault(file, "the job is suspended (spec.suspend); take that out to run it.");
    }
    if (spec.distributionStrategy() == DistributionStrategy.PARAMETER_SERVER) {
      throw fault(
          file,
          "the job trains with parameter servers, which cannot run on one machine yet; workers that share data alone (Local) or average their gradients (AllreduceStrategy) can.");
    }
    for (Role role : spec.replicaSpecs().keySet()) {
      if (role != Role.WORKER && role != Role.MASTER) {
        throw fault(
            file,
            "the job has the role '%s', which cannot run on one machine yet; take it out, or run the job on a cluster."
                .formatted(role.label()));
      }
    }
    Checkpoint checkpoint = spec.checkpoint();
    if (checkpoint != null && checkpoint.claim() != null) {
      throw fault(
          file,
          "spec.checkpoint.claim names a volume of a cluster; on this machine write 'path' alone.");
    }
    checkContainer(file, spec.worker());
    for (EnvVar env : variables(spec)) {
      if (env.value() == null) {
        throw fault(
            file,
            "variable '%s' takes its value from a cluster (valueFrom); on this machine it needs a value."
                .formatted(env.name()));
      }
    }
  }

  private static void checkContainer(Path file, ReplicaSpec worker) {
    Container main = worker.template().main();
    if (main.command().isEmpty()) {
      throw fault(
          file,
          "container '%s' has no command; on this machine there is no image to take it from, so give it one."
              .formatted(main.name()));
    }
    if (worker.template().containers().size() > 1) {
      throw fault(
          file,
          "a worker has %d containers; on this machine it is one process, so leave '%s' alone."
              .formatted(worker.template().containers().size(), main.name()));
    }
    if (usesClaim(worker)) {
      throw fault(
          file,
          "the workers mount a persistentVolumeClaim, which is a cluster's; on this machine they see its folders as they are.");
    }
  }

  private static boolean usesClaim(ReplicaSpec worker) {
    return worker.template().source().get("spec") instanceof Map<?, ?> pod
        && pod.get("volumes") instanceof List<?> volumes
        && volumes.stream()
            .anyMatch(volume ->
                volume instanceof Map<?, ?> map && map.containsKey("persistentVolumeClaim"));
  }

  private static List<EnvVar> variables(ElasticJobSpec spec) {
    List<EnvVar> all = new ArrayList<>(spec.envs());
    all.addAll(spec.worker().template().main().env());
    return all;
  }

  /// What the file says and this machine has no use for, a sentence each.
  static List<String> notes(ElasticJob job) {
    ElasticJobSpec spec = job.spec();
    List<String> keys = new ArrayList<>();
    add(keys, "spec.brainService", spec.brainService());
    add(keys, "spec.optimizeMode", spec.optimizeMode() == OptimizeMode.MANUAL ? null : spec);
    add(keys, "spec.storage", spec.storage());
    add(keys, "spec.scaler", spec.scaler() == ScalerKind.ElasticJobScaler ? null : spec);
    add(keys, "spec.cleanPodPolicy", spec.cleanPodPolicy() == CleanPodPolicy.Running ? null : spec);
    add(keys, "spec.ttl", spec.ttlSeconds());
    add(keys, "the role dlrover-master", spec.replicaSpecs().get(Role.MASTER));
    add(keys, "worker.autoScale", spec.worker().autoScale());
    add(keys, "worker.priority", spec.worker().priority());
    add(keys, "the container's image", spec.worker().template().main().image());
    keys.addAll(spec.unused());
    return keys.isEmpty()
        ? List.of()
        : List.of("on this machine these have no effect: " + String.join(", ", keys));
  }

  private static void add(List<String> keys, String key, @Nullable Object value) {
    if (value != null) {
      keys.add(key);
    }
  }

  private static PliantException fault(Path file, String message) {
    return new PliantException(ErrorCode.BAD_JOB_FILE, file + ": " + message);
  }
}
