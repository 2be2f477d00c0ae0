package dev.pliant.model.decision;

/// What a plan is expected to bring.
///
/// @param recordsPerSecond how fast the job trains once the plan is carried out
public record Prediction(double recordsPerSecond) {
  public Prediction {
    if (!(recordsPerSecond >= 0) || Double.isInfinite(recordsPerSecond)) {
      throw new IllegalArgumentException("no speed: " + recordsPerSecond);
    }
  }
}
