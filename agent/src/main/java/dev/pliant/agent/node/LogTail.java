package dev.pliant.agent.node;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// The end of a worker's log, for the message of a node that failed.
final class LogTail {
  static final int MAX_LINES = 20;
  static final int MAX_BYTES = 4_000;

  private LogTail() {}

  /// The last lines, as many as fit; none where there is no log.
  static List<String> of(Path file) {
    try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
      long size = log.length();
      byte[] bytes = new byte[(int) Math.min(size, MAX_BYTES)];
      log.seek(size - bytes.length);
      log.readFully(bytes);
      return lastLines(new String(bytes, StandardCharsets.UTF_8), size > bytes.length);
    } catch (IOException _) {
      return List.of();
    }
  }

  /// @param cut whether the text begins somewhere in a line, which is left out where others follow
  static List<String> lastLines(String text, boolean cut) {
    List<String> lines = text.lines().toList();
    int from = Math.max(0, lines.size() - MAX_LINES);
    if (cut && from == 0 && lines.size() > 1) {
      from = 1;
    }
    return List.copyOf(lines.subList(from, lines.size()));
  }
}
