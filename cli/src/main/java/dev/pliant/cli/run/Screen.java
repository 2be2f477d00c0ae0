package dev.pliant.cli.run;

import dev.pliant.cli.Terminal;
import dev.pliant.cli.jobs.LinePiece;
import dev.pliant.cli.jobs.PiecePrinter;
import dev.pliant.cli.jobs.ReaderGone;
import java.io.PrintWriter;
import java.time.Duration;

/// What the user sees while a job runs: lines that stay and, on a terminal, one line that is drawn
/// over. Elsewhere that line is printed every two seconds. For one thread.
public final class Screen {
  private static final long PLAIN_NANOS = Duration.ofSeconds(2).toNanos();
  private static final String CLEAR = "\r\u001b[K";
  private static final String[] WORKER_COLOURS = {"36", "33", "35", "32", "34", "96", "93", "95"};

  private final PrintWriter out;
  private final PiecePrinter pieces;
  private final Terminal terminal;
  private final int columns;
  private String live = "";
  private long lastPlainNanos;
  private boolean printed;

  public Screen(PrintWriter out, Terminal terminal, int columns) {
    this.out = out;
    this.pieces = new PiecePrinter(out);
    this.terminal = terminal;
    this.columns = columns;
  }

  /// A line of Pliant's own.
  public void say(String text) {
    line(text);
  }

  /// A line that must not be overlooked.
  public void warn(String text) {
    line(coloured("31", text));
  }

  /// A line that worker number `index` printed, or a piece of one.
  void worker(int index, String name, LinePiece piece) {
    String colour = WORKER_COLOURS[Math.floorMod(index, WORKER_COLOURS.length)];
    String prefix = coloured(colour, "[" + name + "]") + " ";
    String text = printable(piece.text());
    if (piece.isWhole()) {
      line(prefix + text);
    } else {
      endProgress(); // It is drawn again when this line has ended, or in its middle.
      pieces.print(name, prefix, new LinePiece(text, piece.begins(), piece.ends()));
      out.flush();
    }
  }

  /// Shows how far things are.
  public void progress(String text, long nanos) {
    if (terminal.live()) {
      String cut =
          text.length() < columns ? text : text.substring(0, Math.max(1, columns - 2)) + "…";
      if (!cut.equals(live)) {
        pieces.endLine();
        live = cut;
        out.print(CLEAR + live);
        out.flush();
      }
    } else if (!printed || nanos - lastPlainNanos >= PLAIN_NANOS) {
      printed = true;
      lastPlainNanos = nanos;
      pieces.endLine();
      out.println(text);
      out.flush();
    }
  }

  /// A run goes on without anybody who watches; what was begun only to watch ends.
  ///
  /// @throws ReaderGone where nobody is there to see it
  public void checkWatched() {
    ReaderGone.orShow(out);
  }

  /// Takes the live line away.
  public void endProgress() {
    if (!live.isEmpty()) {
      live = "";
      out.print(CLEAR);
      out.flush();
    }
  }

  private void line(String text) {
    pieces.endLine();
    if (live.isEmpty()) {
      out.println(text);
    } else {
      out.print(CLEAR + text + System.lineSeparator() + live);
    }
    out.flush();
  }

  private String coloured(String colour, String text) {
    return terminal.colour() ? "\u001b[" + colour + "m" + text + "\u001b[0m" : text;
  }

  /// A worker may print anything; what would move the cursor of a terminal is not passed on.
  private String printable(String text) {
    return terminal.live() ? text.replaceAll("[\\p{Cntrl}&&[^\t\u001b]]", "") : text;
  }
}
