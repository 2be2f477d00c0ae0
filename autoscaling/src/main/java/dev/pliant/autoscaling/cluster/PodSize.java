package dev.pliant.autoscaling.cluster;

import java.util.List;

/// What a pod requests, and what it may use at the most. GPUs are the same in both.
public record PodSize(PodAmounts requests, PodAmounts limits) {

  /// Of a pod's containers: all of them run at once, init containers before them and one at a time.
  public static PodSize of(List<PodSize> containers, List<PodSize> initContainers) {
    PodAmounts requests = PodAmounts.NONE;
    PodAmounts limits = PodAmounts.NONE;
    for (PodSize container : containers) {
      requests = requests.plus(container.requests);
      limits = limits.plus(container.limits);
    }
    for (PodSize container : initContainers) {
      requests = requests.max(container.requests);
      limits = limits.max(container.limits);
    }
    return new PodSize(requests, limits);
  }

  /// Requests and limits are equal.
  public static PodSize of(double cpu, double memoryMib, int gpus) {
    PodAmounts amounts = new PodAmounts(cpu, memoryMib, gpus);
    return new PodSize(amounts, amounts);
  }
}
