package dev.pliant.model;

/// What one node may use at the most. 0 is no bound; for GPUs it is none.
///
/// @param cpu cores
/// @param memoryMib MiB
/// @param gpus whole devices
/// @param diskMib MiB of disk that go with the node
public record NodeResources(double cpu, long memoryMib, int gpus, long diskMib) {
  /// The most cores that a node may have.
  public static final double MAX_CPU = 32;

  /// The most memory that a node may have.
  public static final long MAX_MEMORY_MIB = 65_536;

  /// Nothing is bounded, and no GPU is given.
  public static final NodeResources UNBOUNDED = new NodeResources(0, 0, 0, 0);

  public NodeResources {
    if (!(cpu >= 0) || cpu > 100_000) {
      throw bad("a node of %s cores".formatted(cpu));
    }
    if (memoryMib < 0 || memoryMib > 1L << 40) {
      throw bad("a node of %,d MiB".formatted(memoryMib));
    }
    if (gpus < 0 || gpus > 1_024) {
      throw bad("a node of %,d GPUs".formatted(gpus));
    }
    if (diskMib < 0 || diskMib > 1L << 40) {
      throw bad("a node with %,d MiB of disk".formatted(diskMib));
    }
  }

  /// Without a bound for its disk.
  public NodeResources(double cpu, long memoryMib, int gpus) {
    this(cpu, memoryMib, gpus, 0);
  }

  public NodeResources withCpu(double newCpu) {
    return new NodeResources(newCpu, memoryMib, gpus, diskMib);
  }

  public NodeResources withMemoryMib(long newMemoryMib) {
    return new NodeResources(cpu, newMemoryMib, gpus, diskMib);
  }

  /// For people.
  public String describe() {
    return "%s cores, %s%s%s"
        .formatted(
            cpu == 0 ? "any number of" : Double.toString(cpu),
            memoryMib == 0 ? "any memory" : "%,d MiB".formatted(memoryMib),
            gpus == 0 ? "" : ", %d GPUs".formatted(gpus),
            diskMib == 0 ? "" : ", %,d MiB of disk".formatted(diskMib));
  }

  private static PliantException bad(String what) {
    return new PliantException(ErrorCode.BAD_JOB_PLAN, what + " cannot be; use 0 for no bound.");
  }
}
