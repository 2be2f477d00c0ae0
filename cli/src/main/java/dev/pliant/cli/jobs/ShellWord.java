package dev.pliant.cli.jobs;

import java.util.regex.Pattern;

/// A word of a command that is advised, which is copied from the terminal into a shell.
public final class ShellWord {
  private static final Pattern PLAIN = Pattern.compile("[\\w@%+=:,./-]+");

  private ShellWord() {}

  /// `text` as a shell takes it for one word.
  public static String quoted(String text) {
    return PLAIN.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
