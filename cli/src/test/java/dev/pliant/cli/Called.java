package dev.pliant.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/// A command that was called inside the test's own process, and what it said.
record Called(int exitCode, String out, String err) {
  static Called with(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        PliantCommand.commandLine(Terminal.PLAIN, arguments)
            .setOut(new PrintWriter(out))
            .setErr(new PrintWriter(err));
    int exitCode = line.execute(arguments);
    return new Called(exitCode, out.toString(), err.toString());
  }
}
