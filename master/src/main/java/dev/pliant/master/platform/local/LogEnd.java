package dev.pliant.master.platform.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/// The last lines of a log.
final class LogEnd {
  private static final int MAX_LINES = 10;
  private static final int MAX_BYTES = 3_000;

  private LogEnd() {}

  /// At most ten lines, and not more than fits into a message; empty where there is no log.
  static List<String> of(Path log) {
    try (FileChannel file = FileChannel.open(log, StandardOpenOption.READ)) {
      long size = file.size();
      long from = Math.max(0, size - MAX_BYTES);
      ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(size - from));
      while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) >= 0) {
        // Until the end, wherever that is by now.
      }
      List<String> lines =
          new String(bytes.array(), 0, bytes.position(), StandardCharsets.UTF_8)
              .lines()
              .map(line -> line.replaceAll("\\p{Cntrl}", " ").stripTrailing())
              .filter(line -> !line.isBlank())
              .toList();
      int skip = from > 0 && lines.size() > 1 ? 1 : 0; // The first one was cut off.
      return lines.subList(Math.max(skip, lines.size() - MAX_LINES), lines.size());
    } catch (IOException e) {
      return List.of();
    }
  }
}
