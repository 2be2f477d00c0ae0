package dev.pliant.autoscaling.cluster;

/// What pods use or nodes have.
///
/// @param cpu cores
/// @param memoryMib MiB
/// @param gpus whole devices
public record PodAmounts(double cpu, double memoryMib, int gpus) {
  public static final PodAmounts NONE = new PodAmounts(0, 0, 0);

  /// The most cores, MiB or devices of anything in a cluster.
  private static final double MOST = 1e12;

  /// Whether a pod can use that, or a node have it.
  public boolean isPossible() {
    return cpu >= 0 && cpu <= MOST && memoryMib >= 0 && memoryMib <= MOST && gpus >= 0;
  }

  /// As it is where it can be, else nothing.
  PodAmounts orNone() {
    return isPossible() ? this : NONE;
  }

  PodAmounts plus(PodAmounts other) {
    return new PodAmounts(cpu + other.cpu, memoryMib + other.memoryMib, gpus + other.gpus);
  }

  PodAmounts max(PodAmounts other) {
    return new PodAmounts(
        Math.max(cpu, other.cpu), Math.max(memoryMib, other.memoryMib), Math.max(gpus, other.gpus));
  }
}
