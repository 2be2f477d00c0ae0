package dev.pliant.autoscaling.cluster;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;

/// The constants of [FulfilmentPolicy].
///
/// @param loadCeiling up to which share of the cluster's CPU and memory jobs grow, and down to
///   which they shrink
/// @param byRequests whether pods count by what they request; else by their limits
/// @param growthGapMillis how long a job does not grow after a change of its size
/// @param roundMillis how often the policy is asked
public record FulfilmentSettings(
    double loadCeiling, boolean byRequests, long growthGapMillis, long roundMillis) {
  public static final FulfilmentSettings DEFAULT =
      new FulfilmentSettings(0.97, false, 30_000, 5_000);

  public FulfilmentSettings {
    if (!(loadCeiling > 0 && loadCeiling <= 1)
        || growthGapMillis < 0
        || growthGapMillis > 86_400_000
        || roundMillis < 100
        || roundMillis > 86_400_000) {
      throw new PliantException(
          ErrorCode.BAD_JOB_PLAN,
          "a load ceiling of %s, a gap of %,d ms, rounds of %,d ms; give a ceiling above 0 and at most 1, a gap of at most a day, and rounds from 100 ms to a day."
              .formatted(loadCeiling, growthGapMillis, roundMillis));
    }
  }
}
