package dev.pliant.autoscaling.job.health;

import dev.pliant.autoscaling.job.AutoScalingSettings.StallSettings;
import dev.pliant.model.NodeId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// Workers that are slower than the others: whose unit of work takes more than twice the median.
public record Stragglers(StallSettings settings) {

  /// How long a worker takes for the same work: a step's own part, or a shard's records.
  ///
  /// @param millis the mean over its newest units of work
  public record Pace(NodeId node, double millis) {}

  /// @param factor how many times the median it takes
  /// @param sinceMillis since when it is one
  public record Straggler(NodeId node, double factor, long sinceMillis) {}

  /// The stragglers, by node. One that was a straggler `before` has been one since then. Paces that
  /// cannot be are left out; two workers have no median to be compared with.
  public List<Straggler> find(List<Pace> paces, List<Straggler> before, long nowMillis) {
    SortedMap<NodeId, Double> usable = new TreeMap<>();
    for (Pace pace : paces) {
      if (pace.millis() > 0 && !Double.isInfinite(pace.millis())) {
        usable.put(pace.node(), pace.millis());
      }
    }
    if (usable.size() < 3) {
      return List.of();
    }
    List<Double> sorted = new ArrayList<>(usable.values());
    Collections.sort(sorted);
    int middle = sorted.size() / 2;
    double median =
        sorted.size() % 2 == 1
            ? sorted.get(middle)
            : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    List<Straggler> found = new ArrayList<>();
    usable.forEach((node, millis) -> {
      if (millis > settings.stragglerFactor() * median) {
        found.add(new Straggler(node, millis / median, since(node, before, nowMillis)));
      }
    });
    return List.copyOf(found);
  }

  private static long since(NodeId node, List<Straggler> before, long nowMillis) {
    return before.stream()
        .filter(straggler -> straggler.node().equals(node))
        .mapToLong(Straggler::sinceMillis)
        .findFirst()
        .orElse(nowMillis);
  }
}
