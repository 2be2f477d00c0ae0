package dev.pliant.machine.rendezvous;

import dev.pliant.model.NodeId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// A group as it was formed. Its members may have come out of it or gone since.
public final class World {
  private final long version;
  private final long formedMillis;
  private final int maxSize;
  private final List<Seat> seats;
  private final Map<NodeId, Share> shares;

  /// A member and where it runs.
  ///
  /// @param address where the group meets should this one be rank 0
  public record Seat(MemberId member, NodeId node, String address) {}

  /// The part of a world that is on one node.
  ///
  /// @param nodeRank the rank of the node, by its lowest member
  public record Share(int nodeRank, List<Ranked> members) {}

  public record Ranked(MemberId member, int rank) {}

  /// @param seats the members in the order of their ranks
  World(long version, long formedMillis, int maxSize, List<Seat> seats) {
    this.version = version;
    this.formedMillis = formedMillis;
    this.maxSize = maxSize;
    this.seats = List.copyOf(seats);
    this.shares = shares(this.seats);
  }

  private static Map<NodeId, Share> shares(List<Seat> seats) {
    Map<NodeId, List<Ranked>> byNode = new LinkedHashMap<>();
    for (int rank = 0; rank < seats.size(); rank++) {
      Seat seat = seats.get(rank);
      byNode
          .computeIfAbsent(seat.node(), _ -> new ArrayList<>())
          .add(new Ranked(seat.member(), rank));
    }
    Map<NodeId, Share> shares = HashMap.newHashMap(byNode.size());
    byNode.forEach(
        (node, ranked) -> shares.put(node, new Share(shares.size(), List.copyOf(ranked))));
    return shares;
  }

  public long version() {
    return version;
  }

  public long formedMillis() {
    return formedMillis;
  }

  /// The most members that a world could have when this one was formed.
  public int maxSize() {
    return maxSize;
  }

  public int size() {
    return seats.size();
  }

  public int nodes() {
    return shares.size();
  }

  /// The members in the order of their ranks.
  public List<Seat> seats() {
    return seats;
  }

  /// Where the group meets.
  public String address() {
    return seats.getFirst().address();
  }

  /// A node's part of it, or null.
  public @Nullable Share share(NodeId node) {
    return shares.get(node);
  }
}
