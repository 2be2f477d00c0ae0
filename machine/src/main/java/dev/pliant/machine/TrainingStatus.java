package dev.pliant.machine;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.SortedMap;
import java.util.TreeMap;

/// What the steps that were committed tell of the training: its own numbers, and how long it stood
/// still when the world changed.
///
/// @param metrics the newest value of each
/// @param lastCommitMillis when a step was committed last, in milliseconds since 1970
/// @param lastCommitWorld the world that committed it; 0 where none did
/// @param pausedMillis the sum, over all changes of the world, of the time between the last commit
///   before and the first one after
public record TrainingStatus(
    SortedMap<String, Double> metrics,
    long lastCommitMillis,
    long lastCommitWorld,
    long pausedMillis) {
  /// How many numbers can be told at once, and are kept.
  public static final int MAX_METRICS = 32;

  private static final int MAX_NAME_BYTES = 64;

  static final TrainingStatus NONE = new TrainingStatus(Collections.emptySortedMap(), 0, 0, 0);

  public TrainingStatus {
    metrics = Collections.unmodifiableSortedMap(new TreeMap<>(metrics));
  }

  /// Refuses numbers that cannot be kept.
  static SortedMap<String, Double> checked(SortedMap<String, Double> metrics) {
    if (metrics.size() > MAX_METRICS) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "the step tells %,d metrics, at most %d are allowed."
              .formatted(metrics.size(), MAX_METRICS));
    }
    metrics.forEach((name, value) -> {
      if (name.isEmpty() || name.getBytes(StandardCharsets.UTF_8).length > MAX_NAME_BYTES) {
        throw new PliantException(
            ErrorCode.BAD_NAME,
            "a metric's name has 1 to %d bytes, '%s…' has not."
                .formatted(MAX_NAME_BYTES, name.substring(0, Math.min(name.length(), 16))));
      }
      if (!Double.isFinite(value)) {
        throw new PliantException(
            ErrorCode.BAD_MESSAGE,
            "metric '%s' is %s; tell only numbers that are finite.".formatted(name, value));
      }
    });
    return metrics.isEmpty()
        ? Collections.emptySortedMap()
        : Collections.unmodifiableSortedMap(new TreeMap<>(metrics));
  }

  /// After a commit.
  TrainingStatus committed(long world, SortedMap<String, Double> told, long atMillis) {
    boolean changed = lastCommitWorld != 0 && world > lastCommitWorld;
    return new TrainingStatus(
        newest(told),
        atMillis,
        Math.max(world, lastCommitWorld),
        pausedMillis + (changed ? Math.max(0, atMillis - lastCommitMillis) : 0));
  }

  private SortedMap<String, Double> newest(SortedMap<String, Double> told) {
    TreeMap<String, Double> newest = new TreeMap<>(told);
    for (var old : metrics.entrySet()) {
      if (newest.size() < MAX_METRICS) {
        newest.putIfAbsent(old.getKey(), old.getValue());
      }
    }
    return newest;
  }
}
