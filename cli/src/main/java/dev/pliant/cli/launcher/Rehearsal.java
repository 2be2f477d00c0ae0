package dev.pliant.cli.launcher;

import dev.pliant.cli.Main;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;

/// Goes once through what users do, so that the JVM's AOT cache knows the classes they need. The
/// launcher runs it with `-XX:AOTCacheOutput`.
public final class Rehearsal {
  private static final List<List<String>> COMMANDS =
      List.of(
          List.of("version"),
          List.of("version", "-o", "json"),
          List.of("--help"),
          List.of("run", "--help"),
          List.of("completion", "bash"),
          List.of("no-such-command"));

  private Rehearsal() {}

  public static void main(String[] arguments) {
    System.setOut(new PrintStream(OutputStream.nullOutputStream()));
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
    for (List<String> command : COMMANDS) {
      Main.execute(command.toArray(String[]::new));
    }
    System.exit(0); // as the command does: leaving takes classes, too
  }
}
