package dev.pliant.cli.jobs;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;

/// Cuts what was printed into lines, at their ends alone: a carriage return inside, with which
/// programs draw a progress bar over itself, ends none. A line that is too long comes in pieces, so
/// that memory stays bounded. For one thread.
public final class LineCutter {
  static final int MAX_LINE_BYTES = 64 << 10;

  /// Takes a line, or a piece of one.
  public interface Taker {
    /// @param begins whether a line begins with it; else it goes on with the one before
    void take(String text, boolean begins);
  }

  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean begins = true;

  /// Gives `taker` each line that ends within the first `length` bytes.
  public void cut(byte[] bytes, int length, Taker taker) {
    for (int i = 0; i < length; i++) {
      if (bytes[i] == '\n') {
        give(taker);
        begins = true;
      } else {
        if (line.size() >= MAX_LINE_BYTES) {
          give(taker);
          begins = false;
        }
        line.write(bytes[i]);
      }
    }
  }

  /// Gives `taker` the last line, where it has no end.
  public void finish(Taker taker) {
    if (line.size() > 0) {
      give(taker);
    }
    begins = true;
  }

  /// What has come of a line that has not ended.
  public byte[] unfinished() {
    return line.toByteArray();
  }

  /// Forgets the line that has begun.
  public void reset() {
    line.reset();
    begins = true;
  }

  private void give(Taker taker) {
    String text = line.toString(StandardCharsets.UTF_8);
    line.reset();
    taker.take(text.endsWith("\r") ? text.substring(0, text.length() - 1) : text, begins);
  }
}
