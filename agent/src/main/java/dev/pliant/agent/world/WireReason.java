package dev.pliant.agent.world;

import dev.pliant.model.ExitReason;

/// Reasons as the wire has them.
public final class WireReason {
  private WireReason() {}

  public static dev.pliant.protocol.v1.ExitReason of(ExitReason reason) {
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
