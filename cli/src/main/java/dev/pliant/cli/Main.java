package dev.pliant.cli;

/// Where the `pliant` command begins.
public final class Main {
  private Main() {}

  public static void main(String[] arguments) {
    System.exit(execute(arguments));
  }

  /// Runs one command and returns its exit code.
  public static int execute(String... arguments) {
    return PliantCommand.commandLine(Terminal.ofThisProcess(), arguments).execute(arguments);
  }
}
