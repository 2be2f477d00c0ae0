package dev.pliant.operator.decision;

import dev.pliant.crds.api.JobSpec;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.crds.api.ScalePlanStatus;
import io.fabric8.kubernetes.api.model.Condition;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// What is said to a user's plan that no master reads: who wrote it would else wait for nothing.
///
/// | its job | what is said |
/// |---|---|
/// | is not there | `Pending`: it is taken up once there is one |
/// | is suspended | `Pending`: it is taken up when the job goes on |
/// | makes no sense, and has not begun | `Pending`: it is taken up once the job has begun |
/// | is over | `Failed`: nothing of it is scaled any more |
/// | runs | nothing: that is its master's to say |
public final class PlanAnswer {
  /// Masters answer sooner than this, and jobs may be made just after their plans.
  public static final Duration PATIENCE = Duration.ofSeconds(10);

  /// How often a plan that waits is looked at again.
  public static final Duration AGAIN = Duration.ofSeconds(30);

  private static final String PENDING = "Pending";
  private static final String FAILED = "Failed";

  private PlanAnswer() {}

  /// A user's plan.
  ///
  /// @param job the name of the job that it is for
  /// @param status what was said to it last
  public record UserPlan(
      String job,
      String namespace,
      long generation,
      Instant createdAt,
      @Nullable ScalePlanStatus status) {

    /// Whether nothing more is to be said to it as it stands.
    public boolean answered() {
      return status != null
          && status.observedGeneration() != null
          && status.observedGeneration() >= generation
          && (NodeRule.SUCCEEDED.equals(status.phase()) || FAILED.equals(status.phase()));
    }
  }

  /// The job of a plan, as far as it matters to it.
  public record OwnerJob(JobSpec spec, @Nullable JobStatus status) {}

  /// The answer, or null where there is none, or it was given.
  ///
  /// @param owner null where there is no such job
  public static @Nullable ScalePlanStatus of(UserPlan plan, @Nullable OwnerJob owner, Instant now) {
    if (plan.answered()) {
      return null;
    }
    ScalePlanStatus answer = answer(plan, owner, now);
    return answer == null || isSaid(answer, plan.status()) ? null : answer;
  }

  /// Whether a plan says that already. What a master said of it before, and when, is the master's
  /// own and stays.
  private static boolean isSaid(ScalePlanStatus answer, @Nullable ScalePlanStatus status) {
    return status != null
        && Objects.equals(answer.phase(), status.phase())
        && Objects.equals(answer.reason(), status.reason())
        && (answer.observedGeneration() == null
            || answer.observedGeneration().equals(status.observedGeneration()));
  }

  private static @Nullable ScalePlanStatus answer(
      UserPlan plan, @Nullable OwnerJob owner, Instant now) {
    if (owner == null) {
      return pending(
          plan,
          "there is no ElasticJob '%s' in namespace '%s'; this is taken up once there is one"
              .formatted(plan.job(), plan.namespace()));
    }
    JobStatePhase phase = owner.status() == null ? null : owner.status().phase();
    if (phase != null && Phases.over(phase)) {
      return new ScalePlanStatus(
          FAILED,
          "job '%s' is over (%s): nothing of it is scaled any more".formatted(plan.job(), phase),
          plan.generation(),
          plan.createdAt().toString(),
          now.truncatedTo(ChronoUnit.SECONDS).toString(),
          null);
    }
    if (Boolean.TRUE.equals(owner.spec().suspend())) {
      return pending(
          plan, "job '%s' is suspended; this is taken up when it goes on".formatted(plan.job()));
    }
    return hasNotBegun(owner.status())
        ? pending(
            plan,
            "job '%s' has not begun, for the reason that its condition %s says; this is taken up once it has"
                .formatted(plan.job(), Conditions.ACCEPTED))
        : null;
  }

  private static boolean hasNotBegun(@Nullable JobStatus status) {
    Condition accepted =
        Conditions.find(status == null ? null : status.conditions(), Conditions.ACCEPTED);
    return status != null
        && (status.masterStarts() == null || status.masterStarts() == 0)
        && accepted != null
        && "False".equals(accepted.getStatus());
  }

  private static ScalePlanStatus pending(UserPlan plan, String reason) {
    return new ScalePlanStatus(PENDING, reason, null, plan.createdAt().toString(), null, null);
  }
}
