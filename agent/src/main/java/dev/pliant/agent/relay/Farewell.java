package dev.pliant.agent.relay;

import dev.pliant.model.ExitReason;

/// Why a worker ended, as the master is told.
record Farewell(ExitReason reason, String message) {

  static Farewell bye(boolean done, String message) {
    return done
        ? new Farewell(ExitReason.SUCCEEDED, message)
        : new Farewell(
            ExitReason.FATAL_ERROR, message.isEmpty() ? "the script ended with an error" : message);
  }

  static Farewell exit(int code) {
    return new Farewell(ExitReason.ofExitCode(code), "the process ended with exit code " + code);
  }

  static Farewell silent() {
    return new Farewell(ExitReason.KILLED, "its connection ended without a word");
  }
}
