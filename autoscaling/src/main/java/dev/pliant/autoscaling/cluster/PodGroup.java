package dev.pliant.autoscaling.cluster;

import java.util.Arrays;

/// The trainers or the servers of one job during a round: how many there are to be, and on which
/// nodes those are that have room. The newest leave first.
final class PodGroup {
  /// A node whose room does not count: it takes no new pods.
  static final int OUTSIDE = -1;

  /// No node has room, and the pod counts all the same.
  static final int PENDING = -2;

  final PodAmounts each;
  private PodAmounts[] amounts = new PodAmounts[4];
  private int[] nodes = new int[4];
  private int placed;
  private int count;

  /// How many have succeeded: they need no room any more.
  private int done;

  PodGroup(PodAmounts each, int count) {
    this.each = each;
    this.count = count;
  }

  void succeeded() {
    done++;
  }

  boolean hasSucceeded() {
    return done > 0;
  }

  int count() {
    return count;
  }

  void count(int newCount) {
    count = newCount;
  }

  int placed() {
    return placed;
  }

  /// How many of the first `first` need room and have none.
  int missing(int first) {
    return Math.max(0, first - done - placed);
  }

  /// How many have room beyond the first `first`.
  int placedBeyond(int first) {
    return Math.max(0, placed - Math.max(0, first - done));
  }

  void push(int node, PodAmounts used) {
    if (placed == nodes.length) {
      nodes = Arrays.copyOf(nodes, 2 * placed);
      amounts = Arrays.copyOf(amounts, 2 * placed);
    }
    nodes[placed] = node;
    amounts[placed] = used;
    placed++;
  }

  void pop() {
    placed--;
  }

  /// The node of the newest one that is `back` places from the end.
  int node(int back) {
    return nodes[placed - 1 - back];
  }

  PodAmounts amounts(int back) {
    return amounts[placed - 1 - back];
  }
}
