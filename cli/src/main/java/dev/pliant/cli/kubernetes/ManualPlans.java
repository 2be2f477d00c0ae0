package dev.pliant.cli.kubernetes;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.RolePlan;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanSpec;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.model.NodeId;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.OwnerReference;
import io.fabric8.kubernetes.api.model.OwnerReferenceBuilder;
import java.util.Map;

/// A user's wish as an object of its own, which a job's master hears even where the job itself says
/// the same already.
final class ManualPlans {
  private ManualPlans() {}

  /// So many workers. The plan is called `JOB-scale-…`, so that people know it and no two are
  /// alike, and goes with the job.
  static ScalePlan workers(ElasticJobResource job, int count) {
    JobNames names = JobNames.of(job);
    Map<String, String> labels = names.labels();
    labels.put(JobNames.SCALE_TYPE_LABEL, JobNames.MANUAL);
    ScalePlan plan = new ScalePlan();
    plan.setMetadata(
        new ObjectMetaBuilder()
            .withGenerateName(names.job().name() + "-scale-")
            .withNamespace(names.namespace())
            .withLabels(labels)
            .withOwnerReferences(owner(job))
            .build());
    Map<String, RolePlan> roles = Map.of(NodeId.WORKER, new RolePlan(count, null));
    plan.setSpec(new ScalePlanSpec(names.job().name(), roles, null, null, null, null, null, null));
    return plan;
  }

  /// Not as its controller, nor so that it holds up the job's deletion: not every user may say
  /// that.
  private static OwnerReference owner(ElasticJobResource job) {
    return new OwnerReferenceBuilder(JobNames.owner(job))
        .withController(null)
        .withBlockOwnerDeletion(null)
        .build();
  }
}
