package dev.pliant.model.decision;

/// The outcome of a decision, measured later.
///
/// @param decision the decision's id
/// @param recordsPerSecondBefore how fast the job trained when it was decided
/// @param recordsPerSecondAfter how fast it trained over the window
/// @param fromMillis where the window begins, in milliseconds since 1970
/// @param toMillis where it ends
/// @param prediction whether the prediction held
public record DecisionSettled(
    long decision,
    double recordsPerSecondBefore,
    double recordsPerSecondAfter,
    long fromMillis,
    long toMillis,
    Verdict prediction) {

  /// How far the speed may differ from the prediction, as a fraction of it.
  public static final double TOLERANCE = 0.2;

  /// What became of a prediction.
  public enum Verdict {
    /// Nothing was predicted.
    NONE,
    /// The speed is as predicted, or higher.
    HELD,
    /// The speed is lower than predicted.
    MISSED
  }

  public DecisionSettled {
    if (toMillis < fromMillis) {
      throw new IllegalArgumentException("a window from %d to %d".formatted(fromMillis, toMillis));
    }
  }

  /// Compares what was measured with what `decision` predicted.
  public static DecisionSettled of(
      Decision decision, double before, double after, long fromMillis, long toMillis) {
    Prediction expected = decision.prediction();
    Verdict verdict =
        expected == null
            ? Verdict.NONE
            : after >= expected.recordsPerSecond() * (1 - TOLERANCE)
                ? Verdict.HELD
                : Verdict.MISSED;
    return new DecisionSettled(decision.id(), before, after, fromMillis, toMillis, verdict);
  }
}
