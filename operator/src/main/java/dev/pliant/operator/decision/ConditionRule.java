package dev.pliant.operator.decision;

import static dev.pliant.crds.api.JobStatus.SUSPENDED;
import static dev.pliant.operator.decision.Conditions.ACCEPTED;
import static dev.pliant.operator.decision.Conditions.COMPLETE;
import static dev.pliant.operator.decision.Conditions.FAILED;
import static dev.pliant.operator.decision.Conditions.JOURNAL_VOLATILE;
import static dev.pliant.operator.decision.Conditions.MASTER_READY;
import static dev.pliant.operator.decision.Conditions.PLAN_CURRENT;
import static dev.pliant.operator.decision.Conditions.PODS_READY;

import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.operator.decision.PodView.Stage;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What can be said of a job by yes and no.
final class ConditionRule {
  /// The cluster takes the templates, and passes over some of what they say.
  static final String UNKNOWN_FIELDS = "UnknownFields";

  private final Observed seen;
  private final JobStatePhase phase;
  private final @Nullable String endMessage;
  private final Conditions conditions;

  private ConditionRule(Observed seen, JobStatePhase phase, @Nullable String endMessage) {
    this.seen = seen;
    this.phase = phase;
    this.endMessage = endMessage;
    JobStatus before = seen.job().status();
    this.conditions =
        new Conditions(
            before == null ? null : before.conditions(), seen.job().generation(), seen.time());
  }

  /// @param endMessage what the master said of the job's end, where it is over
  static List<Condition> conditions(
      Observed seen, JobStatePhase phase, @Nullable String endMessage) {
    ConditionRule rule = new ConditionRule(seen, phase, endMessage);
    rule.accepted();
    rule.journal();
    rule.planCurrent();
    NameRule.apply(seen, rule.runs(), rule.conditions);
    rule.suspended();
    rule.ended();
    rule.master();
    rule.pods();
    return rule.conditions.list();
  }

  private boolean runs() {
    return seen.job().job() != null && !seen.job().suspend() && !Phases.over(phase);
  }

  private void accepted() {
    String fault = seen.job().fault();
    String refusal = TrialRule.refusal(seen);
    Trial trial = seen.trial();
    if (fault != null) {
      conditions.set(ACCEPTED, false, "BadJob", fault);
    } else if (refusal != null) {
      conditions.set(ACCEPTED, false, TrialRule.TEMPLATE_REFUSED, sentence(refusal));
    } else if (trial != null && trial.ignored() != null) {
      conditions.set(ACCEPTED, true, UNKNOWN_FIELDS, sentence(trial.ignored()));
    } else if (trial != null || !saidOfThisSpec(UNKNOWN_FIELDS)) {
      conditions.set(ACCEPTED, true, "Accepted", "The job's spec makes sense.");
    }
  }

  /// Whether an operator before this one has tried the templates and said that of them.
  private boolean saidOfThisSpec(String reason) {
    Condition before = conditions.get(ACCEPTED);
    return before != null
        && reason.equals(before.getReason())
        && Long.valueOf(seen.job().generation()).equals(before.getObservedGeneration());
  }

  private static String sentence(String text) {
    String first = text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    return first.endsWith(".") ? first : first + ".";
  }

  private void journal() {
    if (seen.job().spec().storage() == null) {
      conditions.set(
          JOURNAL_VOLATILE,
          true,
          "NoClaim",
          "The journal lies in the master's pod: with the pod it is lost, and the job begins anew"
              + " from its checkpoint. Name a claim in spec.storage to keep it.");
    } else {
      conditions.set(JOURNAL_VOLATILE, false, "OnClaim", "The journal lies on a claim.");
    }
  }

  /// Said only of jobs to which it has happened.
  private void planCurrent() {
    PlanView plan = seen.plan();
    if (plan != null && plan.epoch() < seen.job().masterEpoch()) {
      conditions.set(
          PLAN_CURRENT,
          false,
          "OlderMaster",
          "The plan is of master epoch %d, and one of %d was heard: it is left undone. The job's master writes it anew."
              .formatted(plan.epoch(), seen.job().masterEpoch()));
    } else if (conditions.has(PLAN_CURRENT)) {
      conditions.set(PLAN_CURRENT, true, "NewestMaster", "The plan is the newest master's.");
    }
  }

  /// Each step of it is a transition with a time of its own: masters are waited for by the one, and
  /// tell by the other which nodes went for a rest.
  private void suspended() {
    if (phase == JobStatePhase.Suspended) {
      conditions.set(SUSPENDED, true, "Suspended", "Take spec.suspend back to go on.");
    } else if (seen.job().suspend() && !Phases.over(phase)) {
      conditions.setUnknown(SUSPENDED, "Suspending", SuspendRule.awaited(seen));
    } else if (conditions.has(SUSPENDED)) {
      conditions.set(SUSPENDED, false, "Resumed", "The job is not suspended.");
    }
  }

  private void ended() {
    if (!Phases.over(phase)) {
      return;
    }
    String message = Objects.requireNonNullElse(endMessage, "");
    conditions.set(COMPLETE, phase == JobStatePhase.Succeeded, phase.name(), message);
    conditions.set(FAILED, phase == JobStatePhase.Failed, phase.name(), message);
  }

  private void master() {
    List<PodView> staying = seen.masterPods().stream().filter(PodView::stays).toList();
    String master = seen.job().masterStarts() == 0 ? "first master" : "next master";
    if (Phases.over(phase)) {
      conditions.set(MASTER_READY, false, "JobOver", "The job is over.");
    } else if (seen.job().suspend()) {
      conditions.set(MASTER_READY, false, "Suspended", "The job is suspended.");
    } else if (staying.isEmpty()) {
      Trouble refused = Trouble.among(List.of(), seen.refusalsBeforeNodes());
      if (refused == null) {
        conditions.set(MASTER_READY, false, "NotThere", "The job waits for its " + master + ".");
      } else {
        conditions.set(MASTER_READY, false, refused.reason(), refused.message());
      }
    } else {
      PodView pod = staying.getLast();
      Trouble trouble = Trouble.among(List.of(pod), List.of());
      if (trouble != null) {
        conditions.set(MASTER_READY, false, trouble.reason(), trouble.message());
      } else if (pod.ready()) {
        conditions.set(MASTER_READY, true, "Running", pod.name() + " runs.");
      } else {
        conditions.set(MASTER_READY, false, "Starting", pod.name() + " starts.");
      }
    }
  }

  private void pods() {
    PlanView plan = seen.validPlan();
    Trouble trouble =
        Trouble.among(seen.pods().stream().filter(PodView::ours).toList(), seen.refusals());
    if (Phases.over(phase)) {
      conditions.set(PODS_READY, false, "JobOver", "The job is over.");
    } else if (seen.job().suspend()) {
      conditions.set(PODS_READY, false, "Suspended", "The job is suspended.");
    } else if (trouble != null) {
      conditions.set(PODS_READY, false, trouble.reason(), trouble.message(), followed(plan));
    } else if (plan == null) {
      conditions.set(PODS_READY, false, "NoPlan", "The job's master has not written its plan yet.");
    } else if (plan.toRun().isEmpty()) {
      conditions.set(PODS_READY, false, "Starting", "The plan names no node.", followed(plan));
    } else if (allRun(plan)) {
      conditions.set(PODS_READY, true, "AllRun", "Every node of the plan runs.", followed(plan));
    } else {
      conditions.set(
          PODS_READY, false, "Starting", "Some nodes of the plan do not run yet.", followed(plan));
    }
  }

  /// The generation of the job that the plan follows: until the master has taken a change up, what
  /// runs says nothing of it, and who waits for it (`kubectl wait`) waits on.
  private long followed(@Nullable PlanView plan) {
    long newest = seen.job().generation();
    JobReport report = plan == null ? null : plan.report();
    return report == null || report.generation() == null
        ? newest
        : Math.min(newest, report.generation());
  }

  private boolean allRun(PlanView plan) {
    Set<String> running =
        seen.nodePods().stream()
            .filter(pod -> pod.stage() == Stage.RUNNING && pod.ready())
            .map(PodView::name)
            .collect(Collectors.toSet());
    return running.containsAll(plan.toRun().keySet());
  }
}
