package dev.pliant.agent.processes;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/// Repeats what one process prints on the agent's own output, for whoever reads that: in a pod it
/// is the container's log. Processes that share it are told apart by a prefix, line by line.
final class Echo {
  /// A longer line is printed in parts.
  private static final int MAX_LINE = 64 << 10;

  private final PrintStream out;
  private final byte[] prefix;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();

  /// @param prefix stands before each line; empty where nobody else prints there
  Echo(PrintStream out, String prefix) {
    this.out = out;
    this.prefix = prefix.getBytes(StandardCharsets.UTF_8);
  }

  /// Prints what has come.
  void print(byte[] bytes, int length) {
    if (prefix.length == 0) {
      out.write(bytes, 0, length);
      out.flush();
      return;
    }
    for (int i = 0; i < length; i++) {
      line.write(bytes[i]);
      if (bytes[i] == '\n' || line.size() >= MAX_LINE) {
        printLine();
      }
    }
  }

  /// Prints what is left of a line that was not ended.
  void end() {
    if (line.size() > 0) {
      printLine();
    }
  }

  private void printLine() {
    byte[] whole = line.toByteArray();
    line.reset();
    synchronized (out) {
      out.write(prefix, 0, prefix.length);
      out.write(whole, 0, whole.length);
      if (whole[whole.length - 1] != '\n') {
        out.write('\n');
      }
      out.flush();
    }
  }
}
