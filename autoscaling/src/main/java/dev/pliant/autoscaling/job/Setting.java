package dev.pliant.autoscaling.job;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;

/// The bounds of settings.
final class Setting {
  private Setting() {}

  /// @throws PliantException where the value is beyond its bounds
  static void check(String name, double value, double least, double most) {
    if (!(value >= least && value <= most)) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "the setting %s of autoScaling is %s; give a value from %s to %s."
              .formatted(name, plain(value), plain(least), plain(most)));
    }
  }

  private static String plain(double value) {
    return value == Math.rint(value) && Math.abs(value) < 1e15
        ? "%,d".formatted((long) value)
        : Double.toString(value);
  }
}
