package dev.pliant.cli.run;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobPlan;
import dev.pliant.model.PliantException;

/// How many workers a command line asks for: `N`, or `MIN:MAX`.
///
/// @param least the fewest that can train
/// @param most the most there may be, and as many as are started
/// @param fixed whether it was written as one number
public record WorkerRange(int least, int most, boolean fixed) {

  /// @param option as the user wrote it, for errors
  public static WorkerRange parse(String option, String text) {
    String[] parts = text.split(":", -1);
    if (parts.length > 2) {
      throw bad(option, text);
    }
    int least = number(option, text, parts[0]);
    int most = number(option, text, parts[parts.length - 1]);
    if (least > most) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s is '%s': at least %,d is more than at most %,d."
              .formatted(option, text, least, most));
    }
    return new WorkerRange(least, most, parts.length == 1);
  }

  private static int number(String option, String text, String part) {
    if (!part.matches("\\d{1,6}")) {
      throw bad(option, text);
    }
    int number = Integer.parseInt(part);
    if (number < 1 || number > JobPlan.MAX_NODES) {
      throw new PliantException(
          ErrorCode.BAD_JOB_FILE,
          "%s is '%s'; it must be from 1 to %,d.".formatted(option, text, JobPlan.MAX_NODES));
    }
    return number;
  }

  private static PliantException bad(String option, String text) {
    return new PliantException(
        ErrorCode.BAD_JOB_FILE, "%s is '%s'; write N, or MIN:MAX.".formatted(option, text));
  }
}
