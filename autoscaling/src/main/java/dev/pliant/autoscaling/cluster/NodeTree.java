package dev.pliant.autoscaling.cluster;

import java.util.Arrays;

/// What nodes have left, so that the first node with enough of everything is found quickly. A
/// balanced tree with the most of each amount below each branch.
final class NodeTree {
  /// What a sum of cores may be off by its fractions.
  static final double ROUNDING = 1e-6;

  private final int nodes;
  private final int leaves;
  private final double[] cpu;
  private final double[] memory;
  private final long[] gpus;

  NodeTree(int nodes) {
    this.nodes = nodes;
    this.leaves = Math.max(1, Integer.highestOneBit(Math.max(1, nodes - 1)) * 2);
    this.cpu = new double[2 * leaves];
    this.memory = new double[2 * leaves];
    this.gpus = new long[2 * leaves];
    Arrays.fill(cpu, Double.NEGATIVE_INFINITY);
    Arrays.fill(memory, Double.NEGATIVE_INFINITY);
    Arrays.fill(gpus, Long.MIN_VALUE);
  }

  void set(int node, PodAmounts amounts) {
    int at = leaves + node;
    cpu[at] = amounts.cpu();
    memory[at] = amounts.memoryMib();
    gpus[at] = amounts.gpus();
    raise(at);
  }

  /// Adds `times` of the amounts, or takes them where that is negative.
  void add(int node, PodAmounts amounts, int times) {
    int at = leaves + node;
    cpu[at] += amounts.cpu() * times;
    memory[at] += amounts.memoryMib() * times;
    gpus[at] += (long) amounts.gpus() * times;
    raise(at);
  }

  private void raise(int leaf) {
    for (int at = leaf / 2; at >= 1; at /= 2) {
      cpu[at] = Math.max(cpu[2 * at], cpu[2 * at + 1]);
      memory[at] = Math.max(memory[2 * at], memory[2 * at + 1]);
      gpus[at] = Math.max(gpus[2 * at], gpus[2 * at + 1]);
    }
  }

  boolean fits(int node, PodAmounts amounts) {
    return has(leaves + node, amounts);
  }

  /// The first node with enough, or -1.
  int find(PodAmounts amounts) {
    return nodes == 0 ? -1 : find(1, amounts);
  }

  private int find(int at, PodAmounts amounts) {
    if (!has(at, amounts)) {
      return -1;
    }
    if (at >= leaves) {
      return at - leaves;
    }
    int left = find(2 * at, amounts);
    return left >= 0 ? left : find(2 * at + 1, amounts);
  }

  /// A pod that needs none of something fits where there is less than none of it.
  private boolean has(int at, PodAmounts amounts) {
    return (amounts.cpu() == 0 || cpu[at] >= amounts.cpu() - ROUNDING)
        && (amounts.memoryMib() == 0 || memory[at] >= amounts.memoryMib() - ROUNDING)
        && (amounts.gpus() == 0 || gpus[at] >= amounts.gpus())
        && gpus[at] > Long.MIN_VALUE;
  }
}
