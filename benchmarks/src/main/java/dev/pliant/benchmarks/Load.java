package dev.pliant.benchmarks;

import java.util.List;
import java.util.Map;

/// What a load tool found in one round.
///
/// @param perSecond how many a second
/// @param count how many in all
/// @param medianMs how long one took, at the median
/// @param p99Ms how long the slowest hundredth took at least
record Load(double perSecond, long count, double medianMs, double p99Ms) {

  static Series perSecond(List<Load> loads) {
    return new Series(loads.stream().map(Load::perSecond).toList());
  }

  /// The latencies of rounds, for a row's details.
  static Map<String, List<Double>> latencies(List<Load> loads) {
    return Map.of(
        "median_ms", loads.stream().map(Load::medianMs).toList(),
        "p99_ms", loads.stream().map(Load::p99Ms).toList());
  }
}
