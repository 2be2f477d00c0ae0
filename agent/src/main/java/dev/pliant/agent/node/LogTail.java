package dev.pliant.agent.node;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/// The end of a log, to show beside what went wrong.
///
/// @param maxLines how many lines at most
/// @param maxBytes how much of the file is read
public record LogTail(int maxLines, int maxBytes) {

  /// The last lines, as many as fit; none where there is no log that can be read.
  public List<String> of(Path file) {
    try (RandomAccessFile log = new RandomAccessFile(file.toFile(), "r")) {
      long size = log.length();
      byte[] bytes = new byte[(int) Math.min(size, maxBytes)];
      log.seek(size - bytes.length);
      log.readFully(bytes);
      return lastLines(new String(bytes, StandardCharsets.UTF_8), size > bytes.length);
    } catch (IOException _) {
      return List.of();
    }
  }

  /// @param cut whether the text begins somewhere in a line, which is left out where others follow
  List<String> lastLines(String text, boolean cut) {
    List<String> lines = text.lines().toList();
    int from = Math.max(0, lines.size() - maxLines);
    if (cut && from == 0 && lines.size() > 1) {
      from = 1;
    }
    return List.copyOf(lines.subList(from, lines.size()));
  }
}
