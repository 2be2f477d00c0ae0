package dev.pliant.cli.run;

import java.util.Map;

/// How a process ended, in words.
final class Exits {
  private static final Map<Integer, String> SIGNALS =
      Map.of(
          1, "SIGHUP", 2, "SIGINT", 3, "SIGQUIT", 6, "SIGABRT", 7, "SIGBUS", 9, "SIGKILL", 11,
          "SIGSEGV", 13, "SIGPIPE", 15, "SIGTERM");

  private Exits() {}

  /// To follow a subject: `ended well`, `was killed (SIGKILL)`, `failed with exit code 3`.
  static String describe(int exitCode) {
    if (exitCode == 0) {
      return "ended well";
    }
    String signal = exitCode > 128 ? SIGNALS.get(exitCode - 128) : null;
    return signal == null ? "failed with exit code " + exitCode : "was killed (" + signal + ")";
  }
}
