package dev.pliant.cli.jobs;

/// A line that was printed, or, of one that is too long to be held as a whole, a piece.
///
/// @param begins whether a line begins with it; else it goes on with the piece before
/// @param ends whether the line ends with it; else there is more of it to come
public record LinePiece(String text, boolean begins, boolean ends) {
  /// A line in one piece.
  public static LinePiece whole(String text) {
    return new LinePiece(text, true, true);
  }

  public boolean isWhole() {
    return begins && ends;
  }
}
