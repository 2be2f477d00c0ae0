package dev.pliant.model;

/// Where a job is in its life, as its nodes make it.
public enum JobPhase {
  /// Its first node does not run yet.
  PENDING(false),
  /// It trains.
  RUNNING(false),
  /// It rests: its nodes are told to go, and others take their places once it goes on.
  SUSPENDED(false),
  /// Its nodes are being ended, because it failed or somebody asked for it.
  STOPPING(false),
  /// All is done.
  SUCCEEDED(true),
  /// It failed.
  FAILED(true),
  /// Somebody stopped it.
  STOPPED(true);

  private final boolean ended;

  JobPhase(boolean ended) {
    this.ended = ended;
  }

  /// Whether nothing follows.
  public boolean ended() {
    return ended;
  }

  /// Whether the job wants nodes now: none is started for one that rests, stops or is over.
  public boolean wantsNodes() {
    return this == PENDING || this == RUNNING;
  }

  /// Whether the job wants nodes, now or once it has rested.
  public boolean goesOn() {
    return wantsNodes() || this == SUSPENDED;
  }
}
