package dev.pliant.autoscaling.job;

/// Rounding that forgives what sums of fractions are off by.
public final class Amounts {
  /// What a sum of cores may be off by its fractions.
  public static final double ROUNDING = 1e-6;

  private Amounts() {}

  /// How many whole times `part` is in `whole`; NaN where `whole` is no number.
  public static double quotient(double whole, double part) {
    return Math.floor(whole / part + ROUNDING);
  }

  /// The next whole number, or the one it is.
  public static double ceil(double value) {
    return Math.ceil(value - ROUNDING);
  }

  public static double floor(double value) {
    return Math.floor(value + ROUNDING);
  }

  /// To one decimal, as cores are planned.
  public static double tenth(double value) {
    return Math.round(value * 10) / 10.0;
  }

  /// To one decimal, never above the value.
  public static double tenthBelow(double value) {
    return Math.floor(value * 10 + ROUNDING) / 10.0;
  }

  /// A whole number between two bounds.
  public static int between(int least, double value, int most) {
    return (int) Math.max(least, Math.min(value, most));
  }
}
