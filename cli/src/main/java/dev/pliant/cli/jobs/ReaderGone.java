package dev.pliant.cli.jobs;

import java.io.PrintWriter;

/// Whoever read what a command prints has gone away, as `head` does once it has enough: nobody is
/// left to print for. It is no fault, so the command ends without a word, and with the exit code of
/// a program that a closed pipe has ended.
public final class ReaderGone extends RuntimeException {
  public static final int EXIT_CODE = 128 + 13;

  private static final long serialVersionUID = 1;

  private ReaderGone() {
    super("nobody reads what is printed", null, false, false);
  }

  /// Shows what was printed so far; a writer itself keeps to itself that nobody takes it.
  ///
  /// @throws ReaderGone where nobody is there to see it
  public static void orShow(PrintWriter out) {
    if (out.checkError()) {
      throw new ReaderGone();
    }
  }
}
