package dev.pliant.cli;

import java.io.PrintWriter;
import java.util.Locale;

/// Where the `pliant` command begins.
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    Locale.setDefault(Locale.ROOT); // Numbers look the same everywhere.
    System.exit(execute(arguments));
  }

  /// Runs one command and returns its exit code.
  public static int execute(String... arguments) {
    return PliantCommand.commandLine(Terminal.ofThisProcess(), arguments)
        .setOut(new PrintWriter(System.out, true)) // picocli's own never hears of a closed pipe.
        .execute(arguments);
  }
}
