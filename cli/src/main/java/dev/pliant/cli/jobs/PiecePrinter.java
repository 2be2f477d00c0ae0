package dev.pliant.cli.jobs;

import java.io.PrintWriter;
import org.jspecify.annotations.Nullable;

/// Prints the lines of several logs, and puts together those that come in pieces. Where something
/// else was printed in between, the rest of a line stands on a line of its own, with its log's name
/// in front again. For one thread at a time.
public final class PiecePrinter {
  private final PrintWriter out;

  /// The log whose line has not ended, if that is what was printed last.
  private @Nullable String open;

  public PiecePrinter(PrintWriter out) {
    this.out = out;
  }

  /// @param log tells logs apart
  /// @param prefix stands in front of each line
  public void print(String log, String prefix, LinePiece piece) {
    if (piece.begins() || !log.equals(open)) {
      endLine();
      out.print(prefix);
    }
    out.print(piece.text());
    open = log;
    if (piece.ends()) {
      endLine();
    }
  }

  /// Ends a line that has not ended: something else is to be printed, or nothing more.
  public void endLine() {
    if (open != null) {
      open = null;
      out.println();
    }
  }
}
