package dev.pliant.operator.decision;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.operator.decision.Reaction.News;
import org.jspecify.annotations.Nullable;

/// Decides what is to be done about one job. The first of these that applies:
///
/// | the job | what follows |
/// |---|---|
/// | is deleted | its folders on claims are deleted ([CleanupRule]); Kubernetes collects all that it owns |
/// | is over | pods go as `cleanPodPolicy` says, all else is released, after its ttl the job itself |
/// | is suspended | its master lets its nodes go, then goes itself |
/// | makes no sense | nothing new is made; the sentence stands in its status |
/// | has templates that the cluster refuses | it does not begin, and says so |
/// | is to run | its objects and its master are there; pods are what the master's plan says |
public final class JobDecision {
  private JobDecision() {}

  /// What is to be done; the same for the same that is seen.
  public static Reaction decide(Observed seen) {
    if (seen.job().deleting()) {
      return CleanupRule.deleted(seen);
    }
    Draft draft = new Draft();
    CleanupRule.guard(seen, draft);
    JobStatePhase end = end(seen);
    if (end != null) {
      EndRule.apply(seen, draft);
    } else if (seen.job().suspend()) {
      SuspendRule.apply(seen, draft);
    } else {
      run(seen, draft);
    }
    JobStatus before = seen.job().status();
    JobStatus after = StatusRule.status(seen, draft, end);
    NameRule.waitFor(after, seen, draft);
    ToldDecisions.tell(seen, draft);
    Notices.ofChange(before, after, draft);
    return new Reaction(
        draft.actions(), after, news(before, after), draft.notices(), draft.lookAgainAt());
  }

  private static void run(Observed seen, Draft draft) {
    ElasticJob job = seen.job().job();
    if (job != null) {
      if (!TrialRule.passed(seen, draft)) {
        return; // Nothing of it is there yet.
      }
      SizeRule.apply(seen, draft);
      if (ObjectRule.apply(seen, job, draft)) {
        SecretRule.apply(seen, draft);
        MasterRule.apply(seen, draft);
      }
    }
    NodeRule.apply(seen, draft);
  }

  /// How the job ended; once that was said it stays so, whatever becomes of the plan.
  private static @Nullable JobStatePhase end(Observed seen) {
    JobStatus status = seen.job().status();
    if (status != null && status.phase() != null && Phases.over(status.phase())) {
      return status.phase();
    }
    PlanView plan = seen.validPlan();
    JobReport report = plan == null ? null : plan.report();
    return report != null && report.phase() != null && Phases.over(report.phase())
        ? report.phase()
        : null;
  }

  private static News news(@Nullable JobStatus before, JobStatus after) {
    if (after.equals(before)) {
      return News.NONE;
    }
    return before != null && withoutCounts(after).equals(withoutCounts(before))
        ? News.COUNTS
        : News.SUBSTANCE;
  }

  private static JobStatus withoutCounts(JobStatus status) {
    return new JobStatus(
        status.observedGeneration(),
        status.phase(),
        status.message(),
        null,
        null,
        null,
        status.selector(),
        status.minReplicas(),
        status.maxReplicas(),
        status.directReplicas(),
        status.restarts(),
        status.strategy(),
        status.mode(),
        status.master(),
        status.masterStarts(),
        status.masterEpoch(),
        status.decisionsTold(),
        status.history(),
        status.startTime(),
        status.completionTime(),
        status.conditions());
  }
}
