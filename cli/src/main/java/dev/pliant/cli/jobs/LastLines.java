package dev.pliant.cli.jobs;

import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Deque;

/// Keeps the last lines of a log. Of a line that is longer than anybody reads, its end alone, so
/// that memory stays bounded.
final class LastLines implements LogFollower.Sink {
  static final int MAX_PIECES = 64;

  private final int count;
  private final Deque<Line> lines = new ArrayDeque<>();

  private static final class Line {
    private final Deque<LinePiece> pieces = new ArrayDeque<>();
    private long leftOutBytes;

    void add(LinePiece piece) {
      pieces.addLast(piece);
      if (pieces.size() > MAX_PIECES) {
        LinePiece first = pieces.removeFirst();
        leftOutBytes += first.text().getBytes(StandardCharsets.UTF_8).length;
      }
    }

    void give(String name, LogFollower.Sink sink) {
      boolean begins = pieces.getFirst().begins() || leftOutBytes > 0;
      if (leftOutBytes > 0) {
        sink.leftOut(name, leftOutBytes);
      }
      for (LinePiece piece : pieces) {
        sink.piece(name, new LinePiece(piece.text(), begins, piece.ends()));
        begins = false;
      }
    }
  }

  LastLines(int count) {
    this.count = count;
  }

  @Override
  public void piece(String name, LinePiece piece) {
    if (piece.begins()) {
      lines.addLast(new Line());
      if (lines.size() > count) {
        lines.removeFirst();
      }
    }
    if (!lines.isEmpty()) {
      lines.getLast().add(piece);
    }
  }

  @Override
  public void leftOut(String name, long bytes) {
    lines.clear(); // What comes last comes after it.
  }

  void give(String name, LogFollower.Sink sink) {
    lines.forEach(line -> line.give(name, sink));
  }
}
