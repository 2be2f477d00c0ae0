package dev.pliant.benchmarks;

import java.util.ArrayList;
import java.util.List;

/// The figures of one quantity, one for each round, in the order in which they were taken.
record Series(List<Double> values) {
  Series {
    values = List.copyOf(values);
    if (values.isEmpty()) {
      throw new IllegalArgumentException("a series needs at least one figure");
    }
  }

  static Series of(double... values) {
    var list = new ArrayList<Double>(values.length);
    for (double value : values) {
      list.add(value);
    }
    return new Series(list);
  }

  double median() {
    List<Double> sorted = values.stream().sorted().toList();
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  double min() {
    return values.stream().mapToDouble(Double::doubleValue).min().getAsDouble();
  }

  double max() {
    return values.stream().mapToDouble(Double::doubleValue).max().getAsDouble();
  }

  /// Round by round, this over that. The two must have been measured in turns: where they were not
  /// there is no pairing, and the ratio is that of the medians alone.
  Series over(Series other) {
    if (values.size() != other.values.size()) {
      return Series.of(median() / other.median());
    }
    var ratios = new ArrayList<Double>(values.size());
    for (int i = 0; i < values.size(); i++) {
      ratios.add(values.get(i) / other.values.get(i));
    }
    return new Series(ratios);
  }
}
