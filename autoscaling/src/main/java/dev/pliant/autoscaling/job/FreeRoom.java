package dev.pliant.autoscaling.job;

import dev.pliant.model.NodeResources;
import java.util.List;

/// What machines have left for more nodes.
///
/// @param machines one entry a machine; empty where the platform does not know
public record FreeRoom(List<Machine> machines) {
  /// Nothing is known, so nothing may be taken.
  public static final FreeRoom UNKNOWN = new FreeRoom(List.of());

  /// What one machine has left.
  public record Machine(double cpu, double memoryMib, int gpus) {}

  public FreeRoom {
    machines = List.copyOf(machines);
  }

  /// How many nodes of that size fit, each on one machine. None of a size without CPU and memory:
  /// nobody can say how many of those fit.
  public int fits(NodeResources size) {
    if (size.cpu() == 0 && size.memoryMib() == 0 && size.gpus() == 0) {
      return 0;
    }
    long fits = 0;
    for (Machine machine : machines) {
      fits += fits(machine, size);
    }
    return (int) Math.min(fits, Integer.MAX_VALUE);
  }

  private static long fits(Machine machine, NodeResources size) {
    double fits = Integer.MAX_VALUE;
    if (size.cpu() > 0) {
      fits = Math.min(fits, Amounts.quotient(machine.cpu, size.cpu()));
    }
    if (size.memoryMib() > 0) {
      fits = Math.min(fits, Amounts.quotient(machine.memoryMib, size.memoryMib()));
    }
    if (size.gpus() > 0) {
      fits = Math.min(fits, Amounts.quotient(machine.gpus, size.gpus()));
    }
    return fits >= 0 ? (long) fits : 0;
  }
}
