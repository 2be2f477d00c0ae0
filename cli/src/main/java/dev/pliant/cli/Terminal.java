package dev.pliant.cli;

import java.io.Console;
import java.util.Map;

/// What standard output can show.
///
/// @param live whether somebody watches: lines may be drawn over
/// @param colour whether escape sequences for colours are welcome
public record Terminal(boolean live, boolean colour) {
  /// A file or a pipe.
  public static final Terminal PLAIN = new Terminal(false, false);

  /// The launcher has looked and says so in `pliant.terminal`; without it, ask the console.
  public static Terminal ofThisProcess() {
    String told = System.getProperty("pliant.terminal");
    boolean terminal = told == null ? hasConsole() : Boolean.parseBoolean(told);
    return of(terminal, System.getenv());
  }

  /// `NO_COLOR` set to anything means no colours, `TERM=dumb` means nothing that moves either.
  static Terminal of(boolean terminal, Map<String, String> environment) {
    boolean live = terminal && !"dumb".equals(environment.get("TERM"));
    return new Terminal(live, live && environment.getOrDefault("NO_COLOR", "").isEmpty());
  }

  /// How many characters a line has here; the launcher has looked, where this is a terminal.
  public int columns() {
    return Integer.getInteger("pliant.columns", 80);
  }

  private static boolean hasConsole() {
    Console console = System.console();
    return console != null && console.isTerminal();
  }
}
