package dev.pliant.model;

/// Where a job is in its life, as its nodes make it.
public enum JobPhase {
  /// Its first node does not run yet.
  PENDING(false),
  /// It trains.
  RUNNING(false),
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

  /// Whether the job still wants nodes: none is started for one that stops or is over.
  public boolean wantsNodes() {
    return this == PENDING || this == RUNNING;
  }
}
