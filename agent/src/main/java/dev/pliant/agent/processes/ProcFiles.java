package dev.pliant.agent.processes;

import dev.pliant.model.ProcStat;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;

/// Reads `/proc` as often as an agent has to: one small read for each look at a process.
final class ProcFiles {
  static final Path PROC = Path.of("/proc");

  /// More than 52 numbers and a name can take; the kernel gives it in one piece.
  private static final int MAX_BYTES = 2_048;

  private ProcFiles() {}

  /// The process now; nothing where it is gone, or there is no `/proc`.
  static Optional<ProcStat> of(long pid) {
    return ProcStat.parse(read(pid));
  }

  /// The state alone; `X` where the process is gone.
  static char stateOf(long pid) {
    return ProcStat.state(read(pid));
  }

  private static String read(long pid) {
    byte[] bytes = new byte[MAX_BYTES];
    try (FileInputStream file = new FileInputStream("/proc/" + pid + "/stat")) {
      int length = Math.max(0, file.read(bytes));
      return new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
    } catch (IOException _) {
      return "";
    }
  }
}
