package dev.pliant.model;

import java.util.Arrays;
import java.util.stream.Collectors;

/// How the processes of a job train together, as its master needs to know it.
public enum Strategy {
  /// They share data and nothing else.
  LOCAL("local"),
  /// They average their gradients with each other.
  ALLREDUCE("allreduce");

  private final String word;

  Strategy(String word) {
    this.word = word;
  }

  /// As files spell it.
  public String word() {
    return word;
  }

  /// Reads a word.
  public static Strategy of(String word) {
    for (Strategy strategy : values()) {
      if (strategy.word.equals(word)) {
        return strategy;
      }
    }
    throw new PliantException(
        ErrorCode.BAD_JOB_PLAN,
        "'%s' is no strategy; write one of %s."
            .formatted(
                word,
                Arrays.stream(values()).map(Strategy::word).collect(Collectors.joining(", "))));
  }
}
