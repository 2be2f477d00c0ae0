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

  dev.pliant.protocol.v1.ExitReason wireReason() {
    return switch (reason) {
      case SUCCEEDED -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_UNSPECIFIED;
      case KILLED -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_KILLED;
      case OOM -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_OOM;
      case FATAL_ERROR -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_FATAL_ERROR;
      case HARDWARE_ERROR -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_HARDWARE_ERROR;
      case NO_HEARTBEAT -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_NO_HEARTBEAT;
      case UNKNOWN -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_UNKNOWN;
    };
  }
}
