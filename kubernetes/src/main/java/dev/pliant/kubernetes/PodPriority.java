package dev.pliant.kubernetes;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.Priority;
import dev.pliant.crds.ReplicaSpec;
import dev.pliant.crds.Role;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.PodSpec;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/// The PriorityClass of a role's pods: the role's `priority`, or what its template names.
final class PodPriority {
  private PodPriority() {}

  /// That of the pod at place `rank`, or null for what the cluster gives by itself.
  ///
  /// @param template what the role's template says of a pod
  /// @throws PliantException where role and template say two things
  static @Nullable String of(ElasticJob job, Role role, PodSpec template, int rank) {
    ReplicaSpec replicas = job.spec().replicaSpecs().get(role);
    Priority priority = replicas == null ? null : replicas.priority();
    String named = template.getPriorityClassName();
    if (priority == null) {
      return named;
    }
    if (named != null && !(priority instanceof Priority.Named(String name) && name.equals(named))) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "role '%s' has a priority, and its template has priorityClassName '%s'; write one of them."
              .formatted(role.label(), named));
    }
    return priority.classOf(rank);
  }

  /// All that pods of the role may have.
  static Set<String> all(ElasticJob job, Role role, PodSpec template) {
    Set<String> names = new TreeSet<>();
    ReplicaSpec replicas = job.spec().replicaSpecs().get(role);
    switch (replicas == null ? null : replicas.priority()) {
      case Priority.Named(String name) -> names.add(name);
      case Priority.Share _ -> names.addAll(Set.of(Priority.HIGH, Priority.LOW));
      case null -> {
        if (template.getPriorityClassName() != null) {
          names.add(template.getPriorityClassName());
        }
      }
    }
    return names;
  }
}
