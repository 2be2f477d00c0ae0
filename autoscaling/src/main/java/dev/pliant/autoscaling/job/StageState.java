package dev.pliant.autoscaling.job;

/// The stage of a job, and in RUNNING the phase of its workers.
///
/// | now | SERVERS_PLANNED | WORKERS_PLANNED | NOTHING_TO_CHANGE | NO_STATISTICS |
/// |---|---|---|---|---|
/// | CREATE | WORKER_INITIAL | WORKER_INITIAL | WORKER_INITIAL | CREATE |
/// | WORKER_INITIAL | WORKER_INITIAL | PS_INITIAL | PS_INITIAL | WORKER_INITIAL |
/// | PS_INITIAL | RUNNING sample | PS_INITIAL | RUNNING sample | PS_INITIAL |
/// | RUNNING sample | RUNNING sample | RUNNING stable | RUNNING stable | RUNNING sample |
/// | RUNNING stable | RUNNING stable | RUNNING stable | RUNNING stable | RUNNING stable |
///
/// The phase is SAMPLE in all stages before RUNNING.
public record StageState(JobStage stage, WorkerPhase phase) {
  public static final StageState FIRST = new StageState(JobStage.CREATE, WorkerPhase.SAMPLE);

  private static final StageState SAMPLE = new StageState(JobStage.RUNNING, WorkerPhase.SAMPLE);
  private static final StageState STABLE = new StageState(JobStage.RUNNING, WorkerPhase.STABLE);

  public StageState {
    if (stage != JobStage.RUNNING && phase != WorkerPhase.SAMPLE) {
      throw new IllegalArgumentException("stage %s has no phase %s".formatted(stage, phase));
    }
  }

  /// The stage that follows. See the table.
  public StageState next(StageEvent event) {
    return switch (stage) {
      case CREATE ->
          switch (event) {
            case SERVERS_PLANNED, WORKERS_PLANNED, NOTHING_TO_CHANGE -> at(JobStage.WORKER_INITIAL);
            case NO_STATISTICS -> this;
          };
      case WORKER_INITIAL ->
          switch (event) {
            case WORKERS_PLANNED, NOTHING_TO_CHANGE -> at(JobStage.PS_INITIAL);
            case SERVERS_PLANNED, NO_STATISTICS -> this;
          };
      case PS_INITIAL ->
          switch (event) {
            case SERVERS_PLANNED, NOTHING_TO_CHANGE -> SAMPLE;
            case WORKERS_PLANNED, NO_STATISTICS -> this;
          };
      case RUNNING ->
          switch (event) {
            case WORKERS_PLANNED, NOTHING_TO_CHANGE -> STABLE;
            case SERVERS_PLANNED, NO_STATISTICS -> this;
          };
    };
  }

  private static StageState at(JobStage stage) {
    return new StageState(stage, WorkerPhase.SAMPLE);
  }
}
