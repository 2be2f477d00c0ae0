package dev.pliant.operator.cluster;

import dev.pliant.operator.decision.Obstacle;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.OwnerReference;
import java.util.List;

/// Whose an object is that stands where a job's own is to be.
final class Obstacles {
  private Obstacles() {}

  static Obstacle of(HasMetadata object, HasMetadata job) {
    String kind = object.getKind();
    String name = object.getMetadata().getName();
    List<OwnerReference> owners = object.getMetadata().getOwnerReferences();
    if (object.getMetadata().getDeletionTimestamp() != null) {
      return new Obstacle(kind, name, "is being deleted", true);
    }
    if (owners.stream().anyMatch(owner -> isNamesake(owner, job))) {
      return new Obstacle(kind, name, "is that of a deleted job of this name", true);
    }
    return owners.isEmpty()
        ? new Obstacle(kind, name, "belongs to nobody", false)
        : new Obstacle(
            kind,
            name,
            "belongs to %s '%s'"
                .formatted(owners.getFirst().getKind(), owners.getFirst().getName()),
            false);
  }

  /// An owner of the job's kind and name is the job itself or one before it.
  private static boolean isNamesake(OwnerReference owner, HasMetadata job) {
    return owner.getKind().equals(job.getKind())
        && owner.getName().equals(job.getMetadata().getName())
        && !owner.getUid().equals(job.getMetadata().getUid());
  }
}
