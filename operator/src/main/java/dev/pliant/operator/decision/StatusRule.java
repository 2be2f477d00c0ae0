package dev.pliant.operator.decision;

import static java.util.Comparator.comparingInt;

import dev.pliant.crds.ElasticJob;
import dev.pliant.crds.Role;
import dev.pliant.crds.RoleBounds;
import dev.pliant.crds.api.DecisionNote;
import dev.pliant.crds.api.JobHistory;
import dev.pliant.crds.api.JobReport;
import dev.pliant.crds.api.JobStatePhase;
import dev.pliant.crds.api.JobStatus;
import dev.pliant.kubernetes.JobNames;
import io.fabric8.kubernetes.api.model.Condition;
import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// What is said of a job: what its master says, where that is known, and what is seen of its pods.
final class StatusRule {
  private final Observed seen;
  private final @Nullable JobStatus before;
  private final @Nullable PlanView plan;
  private final @Nullable JobReport report;

  private StatusRule(Observed seen) {
    this.seen = seen;
    this.before = seen.job().status();
    this.plan = seen.validPlan();
    this.report = plan == null ? null : plan.report();
  }

  /// @param end how the job ended, or null while it has not
  static JobStatus status(Observed seen, Draft draft, @Nullable JobStatePhase end) {
    return new StatusRule(seen).status(draft, end);
  }

  private JobStatus status(Draft draft, @Nullable JobStatePhase end) {
    JobStatePhase phase = end == null ? phase() : end;
    List<Condition> conditions =
        ConditionRule.conditions(seen, phase, report == null ? endMessage() : report.message());
    List<PodView> workers =
        seen.nodePods().stream()
            .filter(pod -> pod.role().equals(Role.WORKER.label()) && pod.stays())
            .toList();
    int ready = (int) workers.stream().filter(PodView::ready).count();
    ElasticJob job = seen.job().job();
    JobNames names = seen.job().names();
    Integer newMaster = newMaster(draft);
    return new JobStatus(
        seen.job().generation(),
        phase,
        message(phase, conditions),
        "%d/%d".formatted(ready, wish(workers.size())),
        workers.size(),
        ready,
        names == null ? null : names.workerSelector(),
        bound(report == null ? null : report.min(), RoleBounds::min),
        bound(report == null ? null : report.max(), RoleBounds::max),
        directReplicas(draft),
        restarts(),
        job == null
            ? (before == null ? null : before.strategy())
            : job.spec().distributionStrategy().spellings().getFirst(),
        job == null
            ? (before == null ? null : before.mode())
            : job.spec().optimizeMode().spelling(),
        newMaster == null || names == null ? master() : names.masterPod(newMaster),
        newMaster == null ? masterStarts() : Integer.valueOf(newMaster + 1),
        Math.max(seen.job().masterEpoch(), plan == null ? 0 : plan.epoch()),
        ToldDecisions.newest(seen),
        Phases.over(phase) ? history() : null,
        startTime(phase),
        end == null ? null : completionTime(),
        conditions);
  }

  /// The plan goes with the job's end, and its master's word with it: so the newest decisions are
  /// kept here.
  private @Nullable JobHistory history() {
    List<DecisionNote> newest =
        report == null || report.decisions() == null ? List.of() : report.decisions();
    if (newest.isEmpty()) {
      return before == null ? null : before.history();
    }
    return new JobHistory(
        newest.getLast().number(),
        newest.stream().map(StatusRule::shortened).toList(),
        seen.job().journalPlace());
  }

  private static DecisionNote shortened(DecisionNote note) {
    String message = note.message();
    return message.length() <= JobHistory.MAX_NOTE
        ? note
        : new DecisionNote(
            note.number(), note.rule(), message.substring(0, JobHistory.MAX_NOTE - 1) + "…");
  }

  private JobStatePhase phase() {
    if (seen.job().suspend()) {
      boolean lives = seen.pods().stream().anyMatch(pod -> pod.ours() && !pod.ended());
      return lives ? JobStatePhase.Stopping : JobStatePhase.Suspended;
    }
    boolean runs = seen.nodePods().stream().anyMatch(pod -> pod.stays() && pod.ready());
    if (report != null && report.phase() != null && !isOfARest(report)) {
      return report.phase() == JobStatePhase.Running && !runs && stuck()
          ? JobStatePhase.Pending
          : report.phase();
    }
    return runs ? JobStatePhase.Running : JobStatePhase.Pending;
  }

  /// Whether waiting alone may not help: a master's last word is that of a better time.
  private boolean stuck() {
    boolean master = seen.masterPods().stream().anyMatch(pod -> pod.stays() && pod.ready());
    List<PodView> pods = seen.pods().stream().filter(PodView::ours).toList();
    return !master || Trouble.among(pods, seen.refusals()) != null;
  }

  /// Why the job is where it is: the job's own fault before the master's word, and where it does
  /// not come to run, what is in its way or what its pods wait for.
  private @Nullable String message(JobStatePhase phase, List<Condition> conditions) {
    if (Phases.over(phase)) {
      return report == null ? endMessage() : report.message();
    }
    if (seen.job().fault() != null) {
      return seen.job().fault();
    }
    if (seen.job().suspend()) {
      return "The job is suspended.";
    }
    if (TrialRule.refusal(seen) != null) {
      return Objects.requireNonNull(Conditions.find(conditions, Conditions.ACCEPTED)).getMessage();
    }
    if (phase == JobStatePhase.Pending) {
      for (String type :
          List.of(Conditions.NAMES_FREE, Conditions.MASTER_READY, Conditions.PODS_READY)) {
        Condition condition = Conditions.find(conditions, type);
        if (condition != null && "False".equals(condition.getStatus())) {
          return condition.getMessage();
        }
      }
    }
    return report == null || isOfARest(report) ? null : report.message();
  }

  /// Whether the master's last word is that the job rests. While the job is to run, the next word
  /// is yet to come.
  private static boolean isOfARest(JobReport report) {
    return report.phase() == JobStatePhase.Suspended;
  }

  private @Nullable String endMessage() {
    return before == null ? null : before.message();
  }

  private int wish(int workers) {
    if (report != null && report.wish() != null) {
      return report.wish();
    }
    if (plan != null) {
      return (int)
          plan.toRun().values().stream()
              .filter(node -> node.type() == null || node.type().equals(Role.WORKER.label()))
              .count();
    }
    ElasticJob job = seen.job().job();
    return job == null ? workers : RoleBounds.of(job.spec(), Role.WORKER).wish();
  }

  private @Nullable Integer bound(@Nullable Integer reported, Function<RoleBounds, Integer> asked) {
    if (reported != null) {
      return reported;
    }
    ElasticJob job = seen.job().job();
    return job == null ? null : asked.apply(RoleBounds.of(job.spec(), Role.WORKER));
  }

  /// What was followed last. A job that rests follows nothing, and does so when it goes on.
  private @Nullable Integer directReplicas(Draft draft) {
    Integer followed = draft.directReplicas();
    return followed != null || before == null ? followed : before.directReplicas();
  }

  private int restarts() {
    if (report != null && report.restarts() != null) {
      return report.restarts();
    }
    return before == null ? 0 : Objects.requireNonNullElse(before.restarts(), 0);
  }

  private static @Nullable Integer newMaster(Draft draft) {
    for (Action action : draft.actions()) {
      if (action instanceof Action.CreateMaster(int number)) {
        return number;
      }
    }
    return null;
  }

  /// The newest master's pod that there is; of a job that has none, the last that there was.
  private @Nullable String master() {
    return seen.masterPods().stream()
        .max(comparingInt(PodView::number))
        .map(PodView::name)
        .orElse(before == null ? null : before.master());
  }

  private @Nullable Integer masterStarts() {
    int seenStarts = seen.masterPods().stream().mapToInt(pod -> pod.number() + 1).max().orElse(0);
    int starts = Math.max(seen.job().masterStarts(), seenStarts);
    return starts;
  }

  private @Nullable String startTime(JobStatePhase phase) {
    if (before != null && before.startTime() != null) {
      return before.startTime();
    }
    return phase == JobStatePhase.Running || Phases.over(phase) ? seen.time() : null;
  }

  private String completionTime() {
    return before == null || before.completionTime() == null
        ? seen.time()
        : before.completionTime();
  }
}
