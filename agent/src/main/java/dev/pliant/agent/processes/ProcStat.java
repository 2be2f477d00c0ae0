package dev.pliant.agent.processes;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/// A process as `/proc/PID/stat` shows it.
///
/// @param state as `ps` has it: `T` for stopped
/// @param ticks processor time so far, in hundredths of a second
/// @param startTicks when it started, which with the pid makes it unique
/// @param pages resident memory
record ProcStat(
    long pid, char state, long parent, long session, long ticks, long startTicks, long pages) {
  static final Path PROC = Path.of("/proc");

  static final int TICKS_PER_SECOND = 100;

  /// More than 52 numbers and a name can take; the kernel gives it in one piece.
  private static final int MAX_BYTES = 2_048;

  /// The process now; nothing where it is gone, or there is no `/proc`.
  static Optional<ProcStat> of(long pid) {
    return read(pid).flatMap(ProcStat::parse);
  }

  /// The state alone, which is asked for often; `X` where the process is gone.
  static char stateOf(long pid) {
    String line = read(pid).orElse("");
    int close = line.lastIndexOf(") ");
    return close < 0 || close + 2 >= line.length() ? 'X' : line.charAt(close + 2);
  }

  private static Optional<String> read(long pid) {
    byte[] bytes = new byte[MAX_BYTES];
    try (FileInputStream file = new FileInputStream("/proc/" + pid + "/stat")) {
      int length = Math.max(0, file.read(bytes));
      return Optional.of(new String(bytes, 0, length, StandardCharsets.ISO_8859_1));
    } catch (IOException _) {
      return Optional.empty();
    }
  }

  /// The name, second of the fields, may hold spaces and brackets; the last bracket ends it.
  static Optional<ProcStat> parse(String line) {
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
}
