package dev.pliant.operator.cluster;

import dev.pliant.crds.api.ElasticJobResource;
import dev.pliant.crds.api.JobResource;
import dev.pliant.crds.api.ScalePlan;
import dev.pliant.crds.api.ScalePlanStatus;
import dev.pliant.kubernetes.JobNames;
import dev.pliant.operator.decision.PlanAnswer;
import dev.pliant.operator.decision.PlanAnswer.OwnerJob;
import dev.pliant.operator.decision.PlanAnswer.UserPlan;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import org.jspecify.annotations.Nullable;

/// Looks after users' plans that no master reads. Masters' own are not watched here.
public record UserPlans(KubernetesClient client, InstantSource clock) {
  /// All that is not a master's.
  public static final String SELECTOR = JobNames.SCALE_TYPE_LABEL + "!=" + JobNames.AUTO;

  /// Those of the one kind.
  @ControllerConfiguration(name = "scaleplan", fieldManager = JobActions.FIELD_MANAGER)
  public record OfScalePlans(UserPlans plans) implements Reconciler<ScalePlan> {
    @Override
    public UpdateControl<ScalePlan> reconcile(ScalePlan plan, Context<ScalePlan> context) {
      return plan.getSpec() == null || plan.getSpec().masterEpoch() != null
          ? UpdateControl.noUpdate()
          : plans.answer(plan, new ScalePlan(), plan.getSpec().ownerJob());
    }
  }

  /// Those of the other.
  @ControllerConfiguration(name = "jobresource", fieldManager = JobActions.FIELD_MANAGER)
  public record OfJobResources(UserPlans plans) implements Reconciler<JobResource> {
    @Override
    public UpdateControl<JobResource> reconcile(
        JobResource resource, Context<JobResource> context) {
      return resource.getSpec() == null || resource.getSpec().plan() != null
          ? UpdateControl.noUpdate()
          : plans.answer(resource, new JobResource(), resource.getSpec().selector().job());
    }
  }

  private <T extends CustomResource<?, ScalePlanStatus>> UpdateControl<T> answer(
      T plan, T empty, String job) {
    ObjectMeta metadata = plan.getMetadata();
    UserPlan view =
        new UserPlan(
            job,
            metadata.getNamespace(),
            metadata.getGeneration(),
            Instant.parse(metadata.getCreationTimestamp()),
            plan.getStatus());
    if (view.answered()) {
      return UpdateControl.noUpdate();
    }
    Instant now = clock.instant();
    Instant due = view.createdAt().plus(PlanAnswer.PATIENCE);
    UpdateControl<T> control = UpdateControl.noUpdate();
    if (due.isAfter(now)) {
      return control.rescheduleAfter(Duration.between(now, due));
    }
    ScalePlanStatus status = PlanAnswer.of(view, owner(metadata.getNamespace(), job), now);
    if (status != null) {
      empty.setMetadata(JobActions.named(metadata.getName(), metadata.getNamespace()));
      empty.getMetadata().setUid(metadata.getUid());
      empty.setStatus(status);
      control = UpdateControl.patchStatus(empty);
    }
    return control.rescheduleAfter(PlanAnswer.AGAIN);
  }

  private @Nullable OwnerJob owner(String namespace, String name) {
    ElasticJobResource job =
        client.resources(ElasticJobResource.class).inNamespace(namespace).withName(name).get();
    return job == null || job.getSpec() == null
        ? null
        : new OwnerJob(job.getSpec(), job.getStatus());
  }
}
