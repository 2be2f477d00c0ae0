package dev.pliant.master.platform.kubernetes;

import dev.pliant.crds.ElasticJob;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// A pod that bears the name of one of this job's and is not this job's. It is left alone, and the
/// node waits until it is gone.
///
/// @param owner whose it is, in words that go on from "it"
/// @param going whether it goes by itself: it is being deleted, or a deleted job left it behind
record ForeignPod(String namespace, String name, String owner, boolean going) {

  /// @param job this job's name
  /// @param jobUid its uid, or null where that is not known
  /// @return empty where the pod is this job's own
  static Optional<ForeignPod> of(Pod found, String job, @Nullable String jobUid) {
    List<OwnerReference> owners =
        Objects.requireNonNullElse(found.getMetadata().getOwnerReferences(), List.of());
    if (jobUid == null || owners.stream().anyMatch(owner -> jobUid.equals(owner.getUid()))) {
      return Optional.empty();
    }
    boolean left =
        owners.stream()
            .anyMatch(
                owner -> ElasticJob.KIND.equals(owner.getKind()) && job.equals(owner.getName()));
    return Optional.of(
        new ForeignPod(
            found.getMetadata().getNamespace(),
            found.getMetadata().getName(),
            whose(owners, left),
            left || found.getMetadata().getDeletionTimestamp() != null));
  }

  private static String whose(List<OwnerReference> owners, boolean left) {
    if (left) {
      return "belongs to a job of the same name that was deleted";
    }
    return owners.stream()
        .min(Comparator.comparing(owner -> !Boolean.TRUE.equals(owner.getController())))
        .map(owner -> "belongs to %s '%s'".formatted(owner.getKind(), owner.getName()))
        .orElse("belongs to nobody");
  }

  /// What is said to people.
  String trouble() {
    String inTheWay = "in the way by its name: Pod '%s' (it %s).".formatted(name, owner);
    return going
        ? inTheWay + " It goes by itself, and the node waits for that."
        : inTheWay
            + " It is left alone, and the node waits. Delete it (kubectl -n %s delete pod %s), or give the job another name."
                .formatted(namespace, name);
  }
}
