package dev.pliant.cli.kubernetes;

import dev.pliant.crds.Container;
import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.ElasticJobSpec;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/// Whether a job file has what a cluster needs of it; on one machine some of that goes without
/// saying.
final class ClusterFit {
  private ClusterFit() {}

  /// @param file names it in errors
  /// @throws PliantException where it lacks something, or where not even its fewest workers fit
  ///   into its own limits
  static void check(String file, ElasticJob job) {
    for (Map.Entry<Role, ReplicaSpec> role : job.spec().replicaSpecs().entrySet()) {
      if (role.getKey() == Role.MASTER) {
        continue; // Image and command are ours.
      }
      Container main = role.getValue().template().main();
      if (main.image() == null || main.image().isEmpty()) {
        throw lacks(
            file,
            role.getKey(),
            main,
            "image",
            "which a cluster needs: one with Python and what the script imports; Pliant's own part is brought in");
      }
      if (main.command().isEmpty()) {
        throw lacks(
            file,
            role.getKey(),
            main,
            "command",
            "and what an image starts by itself is not known; write it out");
      }
    }
    RoleBounds unused = RoleBounds.of(job.spec(), Role.WORKER);
  }

  private static PliantException lacks(
      String file, Role role, Container main, String field, String why) {
    return new PliantException(
        ErrorCode.BAD_JOB_FILE,
        "%s: container '%s' of role '%s' has no '%s', %s."
            .formatted(file, main.name(), role.label(), field, why));
  }

  /// What the user should know before it starts, a sentence each.
  static List<String> notes(ElasticJob job) {
    ElasticJobSpec spec = job.spec();
    List<String> notes = new ArrayList<>();
    if (spec.storage() == null) {
      notes.add(
          "the journal lies in the master's pod, for 'spec.storage.claim' names no claim: should that pod be lost, the job begins anew"
              + (spec.checkpoint() == null ? "." : ", from its newest checkpoint."));
    }
    if (spec.checkpoint() != null && spec.checkpoint().claim() == null) {
      notes.add(
          "checkpoints lie in the pods, for 'spec.checkpoint.claim' names no claim: they go with them.");
    }
    spec.unused().forEach(path -> notes.add("'%s' has no effect here.".formatted(path)));
    return notes;
  }
}
