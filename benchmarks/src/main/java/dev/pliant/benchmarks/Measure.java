package dev.pliant.benchmarks;

import java.util.List;

/// Something that is measured, with everything it stands beside, in one go.
interface Measure {
  /// What `--only` calls it.
  String name();

  /// What it measures, in a sentence.
  String what();

  /// Measures. Starts what it needs and leaves nothing running behind.
  List<Row> run(Bench bench) throws Exception;
}
