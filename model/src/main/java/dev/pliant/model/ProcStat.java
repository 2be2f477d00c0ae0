package dev.pliant.model;

import java.util.Optional;

/// A process as a line of `/proc/PID/stat` shows it.
///
/// @param state as `ps` has it: `T` for stopped, `Z` for one that has ended and was not waited for
/// @param session the process that leads its session
/// @param ticks processor time so far, in hundredths of a second
/// @param startTicks when it started, since the machine did: with the pid it makes the process
///   unique
/// @param pages resident memory
public record ProcStat(
    long pid, char state, long parent, long session, long ticks, long startTicks, long pages) {
  public static final int TICKS_PER_SECOND = 100;

  private static final char GONE = 'X';

  /// Reads the line; nothing where it is none. The name, second of the fields, may hold spaces and
  /// brackets; the last bracket ends it.
  public static Optional<ProcStat> parse(String line) {
    int open = line.indexOf(" (");
    int close = line.lastIndexOf(") ");
    if (open < 0 || close < open) {
      return Optional.empty();
    }
    String[] rest = line.substring(close + 2).strip().split(" ");
    if (rest.length < 22) {
      return Optional.empty();
    }
    try {
      return Optional.of(
          new ProcStat(
              Long.parseLong(line.substring(0, open)),
              rest[0].charAt(0),
              Long.parseLong(rest[1]),
              Long.parseLong(rest[3]),
              Long.parseLong(rest[11]) + Long.parseLong(rest[12]),
              Long.parseLong(rest[19]),
              Long.parseLong(rest[21])));
    } catch (NumberFormatException _) {
      return Optional.empty();
    }
  }

  /// The state alone, which is asked for often; `X` where the line is none.
  public static char state(String line) {
    int close = line.lastIndexOf(") ");
    return close < 0 || close + 2 >= line.length() ? GONE : line.charAt(close + 2);
  }

  public boolean alive() {
    return state != 'Z' && state != GONE;
  }
}
