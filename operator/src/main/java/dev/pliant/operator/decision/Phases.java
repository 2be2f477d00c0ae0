package dev.pliant.operator.decision;

import dev.pliant.crds.api.JobStatePhase;

/// What the words of [JobStatePhase] come to.
final class Phases {
  private Phases() {}

  /// Whether nothing of the job will ever run again.
  static boolean over(JobStatePhase phase) {
    return switch (phase) {
      case Pending, Running, Stopping, Suspended -> false;
      case Succeeded, Failed, Stopped -> true;
    };
  }
}
