package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.AutoScalingSettings.PacingSettings;

/// When a job may be planned for: a function of what was done and the time.
///
/// - a job is looked at every 30 s;
/// - it gets at most one plan in 300 s, without parameter servers one in 60 s. More memory does not
///   wait, and does not count;
/// - its parameter servers change at most once in 3,600 s;
/// - the number of its workers has not changed for 60 s, and the outcome of its last plan is known.
///
/// @param workers whether workers may change
/// @param servers whether parameter servers may change
/// @param reason why neither may; without meaning where one may
/// @param nextMillis when the job is looked at again
public record Pacing(boolean workers, boolean servers, NoPlanReason reason, long nextMillis) {

  static Pacing of(
      ScalingState state, boolean hasServers, PacingSettings settings, long nowMillis) {
    long next = nowMillis + settings.roundMillis();
    if (state.stage().stage() == JobStage.CREATE) {
      return new Pacing(true, true, NoPlanReason.TOO_EARLY, next);
    }
    long gap = hasServers ? settings.planGapMillis() : settings.groupPlanGapMillis();
    AppliedPlan last = state.newest(p -> p.plan().goal() != Goal.MEMORY, nowMillis);
    boolean pending = state.newest(p -> !p.judged(), nowMillis) != null;
    if (pending || (last != null && nowMillis - last.atMillis() < gap)) {
      return new Pacing(false, false, NoPlanReason.TOO_EARLY, next);
    }
    if (nowMillis - state.workersSinceMillis() < settings.stableMillis()) {
      return new Pacing(false, false, NoPlanReason.WORKERS_NOT_STABLE, next);
    }
    AppliedPlan servers = state.newest(AppliedPlan::changedServers, nowMillis);
    boolean serversMay =
        servers == null || nowMillis - servers.atMillis() >= settings.serverGapMillis();
    return new Pacing(true, serversMay, NoPlanReason.TOO_EARLY, next);
  }

  boolean isOpen() {
    return workers || servers;
  }
}
