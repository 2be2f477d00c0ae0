package dev.pliant.operator.decision;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import java.util.Objects;

/// A job that does not say how many workers it wishes is told what it begins with, once: so that
/// `kubectl scale` and autoscalers find a number. From then on the number is its users'.
final class SizeRule {
  private SizeRule() {}

  static void apply(Observed seen, Draft draft) {
    ElasticJob job = Objects.requireNonNull(seen.job().job());
    if (job.spec().worker().replicas() == null) {
      int size = RoleBounds.of(job.spec(), Role.WORKER).wish();
      draft.act(new Action.FillReplicas(size));
      draft.tell(
          Notice.normal(
              "ReplicasFilledIn",
              "spec.replicaSpecs.worker.replicas was not given and is now %d".formatted(size)));
    }
  }
}
