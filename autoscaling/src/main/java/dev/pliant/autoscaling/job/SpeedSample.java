package dev.pliant.autoscaling.job;

/// How fast a job trained, and with how many nodes.
///
/// @param atMillis when, in milliseconds since 1970
/// @param workers how many workers trained, the chief included
/// @param servers how many parameter servers served
/// @param recordsPerSecond the speed; steps a second where the job does not count records
public record SpeedSample(long atMillis, int workers, int servers, double recordsPerSecond) {

  /// Whether a job can have this speed and this size.
  public boolean isUsable() {
    return recordsPerSecond >= 0
        && !Double.isInfinite(recordsPerSecond)
        && workers >= 0
        && servers >= 0;
  }
}
