package dev.pliant.benchmarks;

import java.time.Duration;

/// How fast a wave of pods came and went, in pods a second.
record WaveSpeeds(double up, double down) {
  /// What a wave may take in one direction.
  static final Duration BOUND = Duration.ofMinutes(10);

  /// Pods a second since a moment of `System.nanoTime`.
  static double since(long began, int pods) {
    return pods / ((System.nanoTime() - began) / 1e9);
  }
}
