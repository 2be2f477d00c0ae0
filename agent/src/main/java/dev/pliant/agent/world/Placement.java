package dev.pliant.agent.world;

/// Where a process stands in a world.
///
/// @param version the world's version
/// @param rank among all its members
/// @param localRank among those of this node
/// @param localSize how many of them there are on this node
/// @param nodeRank this node's rank among the nodes
/// @param nodes how many nodes take part
/// @param address HOST:PORT where the group meets: rank 0's
/// @param maxSize the most members that the job may have
public record Placement(
    long version,
    int rank,
    int size,
    int localRank,
    int localSize,
    int nodeRank,
    int nodes,
    String address,
    int maxSize) {
  public Placement {
    if (version < 1 || rank < 0 || rank >= size || localRank < 0 || localRank >= localSize) {
      throw new IllegalArgumentException(
          "rank %d of %d, here %d of %d, in world %d, cannot be"
              .formatted(rank, size, localRank, localSize, version));
    }
  }
}
