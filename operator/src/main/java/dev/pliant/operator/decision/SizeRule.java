package dev.pliant.operator.decision;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.api.JobSpec;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.RoleSpec;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// How many workers a job wishes stands under `spec.replicaSpecs.worker`, where `kubectl scale` and
/// autoscalers look. Where nothing stands there, the job is told what it begins with, once; from
/// then on the number is its users'. A 0 means the same as nothing, and is left where its user
/// wrote it: who applies the same file again is not to be refused.
///
/// A job may have its workers directly under `spec` and a number of its own there. Of the two the
/// one that was changed last counts: the status remembers the direct one, and when that changes the
/// other follows it. What is changed while nobody looks, without an operator or while the job is
/// suspended, is seen as one change: then the direct one counts.
final class SizeRule {
  /// What is remembered of workers that stand directly under `spec` without a number.
  static final int NO_NUMBER = 0;

  private SizeRule() {}

  static void apply(Observed seen, Draft draft) {
    ElasticJob job = Objects.requireNonNull(seen.job().job());
    JobSpec spec = seen.job().spec();
    Integer direct = number(spec.worker());
    RoleSpec named =
        spec.replicaSpecs() == null ? null : spec.replicaSpecs().get(Role.WORKER.label());
    Integer scaled = number(named);
    if (scaled == null) {
      fill(named, job, draft);
    } else if (direct != null && changed(direct, seen.job().status())) {
      draft.act(new Action.FollowReplicas(direct));
      draft.tell(
          Notice.normal(
              "ReplicasFollowed",
              "spec.worker.replicas was changed, and spec.replicaSpecs.worker.replicas is now %d, too"
                  .formatted(direct)));
    } else {
      keepWithin(scaled, job, draft);
    }
    if (spec.worker() != null) {
      draft.remember(direct == null ? NO_NUMBER : direct);
    }
  }

  private static void fill(@Nullable RoleSpec named, ElasticJob job, Draft draft) {
    if (named != null && named.replicas() != null) {
      return;
    }
    int size = RoleBounds.of(job.spec(), Role.WORKER).wish();
    draft.act(new Action.FillReplicas(size));
    draft.tell(
        Notice.normal(
            "ReplicasFilledIn",
            "spec.replicaSpecs.worker.replicas was not given and is now %d".formatted(size)));
  }

  /// Beside a direct number the other may be any: it is read as the direct bounds have it.
  private static void keepWithin(int scaled, ElasticJob job, Draft draft) {
    Integer read = job.spec().worker().replicas();
    if (read != null && read != scaled) {
      draft.act(new Action.FollowReplicas(read));
      draft.tell(
          Notice.normal(
              "ReplicasFollowed",
              "spec.replicaSpecs.worker.replicas was %d, which minReplicas and maxReplicas of spec.worker do not allow, and is now %d"
                  .formatted(scaled, read)));
    }
  }

  private static @Nullable Integer number(@Nullable RoleSpec workers) {
    Integer said = workers == null ? null : workers.replicas();
    return said == null || said == NO_NUMBER ? null : said;
  }

  /// A number of which nothing is remembered stood there before this was asked: it is not new.
  private static boolean changed(int direct, @Nullable JobStatus before) {
    Integer remembered = before == null ? null : before.directReplicas();
    return remembered != null && remembered != direct;
  }
}
