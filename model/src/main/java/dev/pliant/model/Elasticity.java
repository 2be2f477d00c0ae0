package dev.pliant.model;

import java.util.Arrays;
import java.util.stream.Collectors;

/// How the training processes of a job take a change of their group.
public enum Elasticity {
  /// They are no group: each leases its share of the records and knows of no other.
  NONE("none"),
  /// They stay alive and rebuild their group inside the living process.
  IN_PROCESS("in-process"),
  /// They are ended and started again, with the ranks of the new group.
  RESTART("restart"),
  /// As their program asks for it, which the node that starts them finds out: only there the
  /// program can be read.
  AUTO("auto");

  private final String word;

  Elasticity(String word) {
    this.word = word;
  }

  /// As files and command lines spell it.
  public String word() {
    return word;
  }

  /// Reads a word.
  public static Elasticity of(String word) {
    for (Elasticity elasticity : values()) {
      if (elasticity.word.equals(word)) {
        return elasticity;
      }
    }
    throw new PliantException(
        ErrorCode.BAD_JOB_PLAN,
        "'%s' is no elasticity; write one of %s."
            .formatted(
                word,
                Arrays.stream(values()).map(Elasticity::word).collect(Collectors.joining(", "))));
  }
}
