package dev.pliant.model;

/// The life of a node. What a platform sees of it moves it on, forward only:
///
/// | | PENDING | RUNNING | SUCCEEDED | FAILED | GONE |
/// |---|---|---|---|---|---|
/// | INITIAL | PENDING | RUNNING | SUCCEEDED | FAILED | DELETED |
/// | PENDING | PENDING | RUNNING | SUCCEEDED | FAILED | DELETED |
/// | RUNNING | RUNNING | RUNNING | SUCCEEDED | FAILED | DELETED |
/// | SUCCEEDED | SUCCEEDED | SUCCEEDED | SUCCEEDED | SUCCEEDED | SUCCEEDED |
/// | FAILED | FAILED | FAILED | FAILED | FAILED | FAILED |
/// | DELETED | DELETED | DELETED | DELETED | DELETED | DELETED |
///
/// News may be late, repeated or left out: a node that is running does not become pending again,
/// one that has ended stays as it ended, and one may end without ever having been seen to run.
public enum NodePhase {
  /// Decided, not asked for yet.
  INITIAL(false),
  /// Asked for; it does not run yet.
  PENDING(false),
  /// Its agent runs.
  RUNNING(false),
  /// It ended with its work done.
  SUCCEEDED(true),
  /// It ended otherwise.
  FAILED(true),
  /// It was taken away: scaled down, or the job is over.
  DELETED(true);

  /// What is seen of a node.
  public enum Observation {
    /// It was asked for and does not run.
    PENDING,
    /// Its agent runs.
    RUNNING,
    /// It ended, and said that its work is done.
    SUCCEEDED,
    /// It ended otherwise.
    FAILED,
    /// It ended because it was told to.
    GONE
  }

  private final boolean ended;

  NodePhase(boolean ended) {
    this.ended = ended;
  }

  /// Whether nothing follows.
  public boolean ended() {
    return ended;
  }

  /// Where a node in `phase` is after `seen`.
  public static NodePhase next(NodePhase phase, Observation seen) {
    if (phase.ended) {
      return phase;
    }
    return switch (seen) {
      case PENDING -> phase == RUNNING ? RUNNING : PENDING;
      case RUNNING -> RUNNING;
      case SUCCEEDED -> SUCCEEDED;
      case FAILED -> FAILED;
      case GONE -> DELETED;
    };
  }
}
