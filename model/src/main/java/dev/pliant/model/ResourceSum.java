package dev.pliant.model;

import java.util.Collection;

/// What nodes may use together. One that is unbounded in something counts for none of it.
///
/// @param nodes how many they are
public record ResourceSum(int nodes, double cpu, long memoryMib, long gpus, long diskMib) {
  public static ResourceSum of(Collection<NodeResources> nodes) {
    return new ResourceSum(
        nodes.size(),
        nodes.stream().mapToDouble(NodeResources::cpu).sum(),
        nodes.stream().mapToLong(NodeResources::memoryMib).sum(),
        nodes.stream().mapToLong(NodeResources::gpus).sum(),
        nodes.stream().mapToLong(NodeResources::diskMib).sum());
  }

  /// With so many more of that size.
  public ResourceSum plus(int more, NodeResources each) {
    return new ResourceSum(
        nodes + more,
        cpu + more * each.cpu(),
        memoryMib + more * each.memoryMib(),
        gpus + (long) more * each.gpus(),
        diskMib + more * each.diskMib());
  }
}
