package dev.pliant.model;

import org.jspecify.annotations.Nullable;

/// Another size for nodes: what it does not name stays as it is.
///
/// @param cpu cores, or null
/// @param memoryMib MiB, or null
/// @param gpus whole devices, or null
/// @param diskMib MiB, or null
public record ResourceChange(
    @Nullable Double cpu,
    @Nullable Long memoryMib,
    @Nullable Integer gpus,
    @Nullable Long diskMib) {
  /// All stays as it is.
  public static final ResourceChange NONE = new ResourceChange(null, null, null, null);

  /// What `now` becomes.
  ///
  /// @throws PliantException where no node can have that
  public NodeResources of(NodeResources now) {
    return new NodeResources(
        cpu == null ? now.cpu() : cpu,
        memoryMib == null ? now.memoryMib() : memoryMib,
        gpus == null ? now.gpus() : gpus,
        diskMib == null ? now.diskMib() : diskMib);
  }
}
