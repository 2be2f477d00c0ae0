package dev.pliant.cli.jobs;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.function.Consumer;

/// Cuts what was printed into lines, at their ends alone: a carriage return inside, with which
/// programs draw a progress bar over itself, ends none. A line that is too long comes in pieces, so
/// that memory stays bounded; none ends inside a character. For one thread.
public final class LineCutter {
  static final int MAX_PIECE_BYTES = 64 << 10;

  private static final int MAX_CHARACTER_BYTES = 4;

  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private boolean begins = true;

  /// Gives `taker` each line that ends within the first `length` bytes.
  public void cut(byte[] bytes, int length, Consumer<LinePiece> taker) {
    for (int i = 0; i < length; i++) {
      if (bytes[i] == '\n') {
        giveEnd(taker);
      } else {
        if (line.size() >= MAX_PIECE_BYTES) {
          givePiece(taker);
        }
        line.write(bytes[i]);
      }
    }
  }

  /// Gives `taker` the last line, where it has no end.
  public void finish(Consumer<LinePiece> taker) {
    if (line.size() > 0) {
      giveEnd(taker);
    }
  }

  /// What has come of a line that has not ended, and was not given.
  public byte[] unfinished() {
    return line.toByteArray();
  }

  /// Forgets the line that has begun.
  public void reset() {
    line.reset();
    begins = true;
  }

  private void giveEnd(Consumer<LinePiece> taker) {
    String text = line.toString(StandardCharsets.UTF_8);
    String shown = text.endsWith("\r") ? text.substring(0, text.length() - 1) : text;
    LinePiece piece = new LinePiece(shown, begins, true);
    reset();
    taker.accept(piece);
  }

  private void givePiece(Consumer<LinePiece> taker) {
    byte[] held = line.toByteArray();
    int cut = cutPoint(held);
    LinePiece piece =
        new LinePiece(new String(held, 0, cut, StandardCharsets.UTF_8), begins, false);
    line.reset();
    line.write(held, cut, held.length - cut);
    begins = false;
    taker.accept(piece);
  }

  /// Before a character that has not come as a whole, or a carriage return that may belong to the
  /// end of the line; else after all. Depends on nothing but the line, however it was read.
  private static int cutPoint(byte[] bytes) {
    int last = bytes.length - 1;
    if (bytes[last] == '\r') {
      return last;
    }
    int start = last;
    while (start > last - MAX_CHARACTER_BYTES + 1 && (bytes[start] & 0xC0) == 0x80) {
      start--;
    }
    return start + characterBytes(bytes[start]) > bytes.length ? start : bytes.length;
  }

  /// How many bytes of UTF-8 a character has that begins so; 1 for what begins none.
  private static int characterBytes(byte first) {
    return (first & 0xE0) == 0xC0
        ? 2
        : (first & 0xF0) == 0xE0 ? 3 : (first & 0xF8) == 0xF0 ? MAX_CHARACTER_BYTES : 1;
  }
}
