package dev.pliant.cli;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.Writer;
import picocli.CommandLine;

/// A command that was called inside the test's own process, and what it said.
record Called(int exitCode, String out, String err) {
  static Called with(String... arguments) {
    StringWriter out = new StringWriter();
    return to(out, arguments);
  }

  /// Whoever read its output has gone away.
  static Called toNobody(String... arguments) {
    return to(
        new Writer() {
          @Override
          public void write(char[] text, int from, int length) throws IOException {
            throw new IOException("Broken pipe");
          }

          @Override
          public void flush() {}

          @Override
          public void close() {}

          @Override
          public String toString() {
            return "";
          }
        },
        arguments);
  }

  private static Called to(Writer out, String... arguments) {
    StringWriter err = new StringWriter();
    CommandLine line =
        PliantCommand.commandLine(Terminal.PLAIN, arguments)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int exitCode = line.execute(arguments);
    return new Called(exitCode, out.toString(), err.toString());
  }
}
