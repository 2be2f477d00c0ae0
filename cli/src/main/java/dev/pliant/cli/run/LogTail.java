package dev.pliant.cli.run;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// The end of a log, to show beside what went wrong.
final class LogTail {
  private static final int LINES = 12;
  private static final int BYTES = 16 << 10;

  private LogTail() {}

  /// The last lines of `log`; none where it cannot be read.
  static List<String> of(Path log) {
    if (!Files.isReadable(log)) {
      return List.of();
    }
    try (FileChannel channel = FileChannel.open(log)) {
      long start = Math.max(0, channel.size() - BYTES);
      ByteBuffer bytes = ByteBuffer.allocate(BYTES);
      channel.position(start);
      while (bytes.hasRemaining() && channel.read(bytes) >= 0) {
        // Until the buffer is full or the file has ended.
      }
      List<String> lines = StandardCharsets.UTF_8.decode(bytes.flip()).toString().lines().toList();
      // The first may have been cut.
      List<String> whole = start > 0 && lines.size() > 1 ? lines.subList(1, lines.size()) : lines;
      return List.copyOf(whole.subList(Math.max(0, whole.size() - LINES), whole.size()));
    } catch (IOException e) {
      return List.of();
    }
  }
}
