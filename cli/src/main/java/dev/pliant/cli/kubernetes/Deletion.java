package dev.pliant.cli.kubernetes;

import dev.pliant.cli.jobs.WaitNotes;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/// Deletes a job and waits until nothing is left of it: Kubernetes takes away what a job owns once
/// the job is gone, and pods may take their grace.
final class Deletion {
  static final Duration BOUND = Duration.ofMinutes(2);
  private static final Duration PAUSE = Duration.ofMillis(300);
  private static final int SHOWN = 5;

  /// All that is made for a job.
  private static final List<Class<? extends HasMetadata>> TYPES =
      List.of(
          Pod.class,
          ScalePlan.class,
          JobResource.class,
          Service.class,
          Secret.class,
          ServiceAccount.class,
          Role.class,
          RoleBinding.class,
          NetworkPolicy.class);

  private final ClusterObjects objects;

  Deletion(ClusterObjects objects) {
    this.objects = objects;
  }

  /// @param meanwhile hears what is waited for
  String delete(JobId job, Consumer<String> meanwhile) throws InterruptedException {
    JobNames names = new JobNames(job);
    objects.delete(job);
    Patience patience = new Patience();
    WaitNotes notes = new WaitNotes(meanwhile, System.nanoTime());
    long end = System.nanoTime() + BOUND.toNanos();
    Optional<List<String>> left = Optional.empty();
    while (System.nanoTime() - end < 0) {
      left = patience.with(() -> Optional.of(left(names)), Optional.empty());
      if (left.filter(List::isEmpty).isPresent()) {
        return "job %s is deleted; nothing is left of it in the cluster.".formatted(job);
      }
      notes.still("job %s goes; %s".formatted(job, shown(left)), System.nanoTime());
      Thread.sleep(PAUSE);
    }
    throw new PliantException(
        ErrorCode.CLUSTER_SLOW,
        "job %s was deleted, but after %d s %s; the cluster goes on with it."
            .formatted(job, BOUND.toSeconds(), shown(left)));
  }

  /// @param found what is left; nothing where the cluster does not say
  static String shown(Optional<List<String>> found) {
    if (found.isEmpty()) {
      return "the cluster does not answer";
    }
    List<String> left = found.get();
    return "there %s still %s%s"
        .formatted(
            left.size() == 1 ? "is" : "are",
            String.join(", ", left.subList(0, Math.min(SHOWN, left.size()))),
            left.size() > SHOWN ? " and %d more".formatted(left.size() - SHOWN) : "");
  }

  /// What is left, as KIND/NAME; what this user may not see is not counted.
  private List<String> left(JobNames names) {
    List<String> left = new ArrayList<>();
    if (objects.find(names.job()).isPresent()) {
      left.add("ElasticJob/" + names.job().name());
    }
    for (Class<? extends HasMetadata> type : TYPES) {
      ClusterObjects.orNone(() -> List.<HasMetadata>copyOf(objects.labelled(type, names)))
          .forEach(found -> left.add(found.getKind() + "/" + found.getMetadata().getName()));
    }
    return left;
  }
}
