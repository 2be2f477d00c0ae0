package dev.pliant.benchmarks;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// What a load tool found in one round.
///
/// @param perSecond how many a second
/// @param count how many in all
/// @param medianMs how long one took, at the median
/// @param p99Ms how long the slowest hundredth took at least
/// @param serverCpuUs processor time the server used for one; 0 where it was not counted
record Load(double perSecond, long count, double medianMs, double p99Ms, double serverCpuUs) {

  Load withServerCpu(Duration used) {
    return new Load(perSecond, count, medianMs, p99Ms, used.toNanos() / 1e3 / count);
  }

  static Series perSecond(List<Load> loads) {
    return new Series(loads.stream().map(Load::perSecond).toList());
  }

  /// What else is known of the rounds, for a row's details.
  static Map<String, List<Double>> details(List<Load> loads) {
    var details = new LinkedHashMap<String, List<Double>>();
    details.put("median_ms", loads.stream().map(Load::medianMs).toList());
    details.put("p99_ms", loads.stream().map(Load::p99Ms).toList());
    if (loads.stream().allMatch(load -> load.serverCpuUs > 0)) {
      details.put("server_cpu_us", loads.stream().map(Load::serverCpuUs).toList());
    }
    return details;
  }
}
