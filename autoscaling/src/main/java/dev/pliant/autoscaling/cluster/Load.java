package dev.pliant.autoscaling.cluster;

/// What all pods of a cluster use together, beside what it has.
final class Load {
  private final double ceiling;
  private double cpuCapacity;
  private double memoryCapacity;
  private long gpuCapacity;
  private double cpu;
  private double memory;
  private long gpus;

  Load(double ceiling) {
    this.ceiling = ceiling;
  }

  void addCapacity(PodAmounts amounts) {
    cpuCapacity += amounts.cpu();
    memoryCapacity += amounts.memoryMib();
    gpuCapacity += amounts.gpus();
  }

  /// Adds `times` of the amounts, or takes them where that is negative.
  void add(PodAmounts amounts, int times) {
    cpu += amounts.cpu() * times;
    memory += amounts.memoryMib() * times;
    gpus += (long) amounts.gpus() * times;
  }

  /// Whether so much more stays below the ceiling. What it needs none of does not count.
  boolean leaves(PodAmounts more, Load surplus) {
    return !lacksGpus(more, surplus)
        && (more.cpu() == 0
            || cpu - surplus.cpu + more.cpu() <= ceiling * cpuCapacity + NodeTree.ROUNDING)
        && (more.memoryMib() == 0
            || memory - surplus.memory + more.memoryMib()
                <= ceiling * memoryCapacity + NodeTree.ROUNDING);
  }

  boolean lacksGpus(PodAmounts more, Load surplus) {
    return more.gpus() > 0 && gpus - surplus.gpus + more.gpus() > gpuCapacity;
  }

  boolean isCpuAboveCeiling() {
    return cpu > ceiling * cpuCapacity + NodeTree.ROUNDING;
  }

  boolean isMemoryAboveCeiling() {
    return memory > ceiling * memoryCapacity + NodeTree.ROUNDING;
  }

  boolean areGpusAboveCapacity() {
    return gpus > gpuCapacity;
  }

  boolean isAboveCeiling() {
    return isCpuAboveCeiling() || isMemoryAboveCeiling() || areGpusAboveCapacity();
  }

  double cpuShare() {
    return cpuCapacity == 0 ? 0 : cpu / cpuCapacity;
  }

  double memoryShare() {
    return memoryCapacity == 0 ? 0 : memory / memoryCapacity;
  }

  long freeGpus() {
    return Math.max(0, gpuCapacity - gpus);
  }
}
