package dev.pliant.model;

/// Why a worker or node ended, and whether what it held may be to blame.
public enum ExitReason {
  SUCCEEDED(false),
  KILLED(false),
  OOM(true),
  FATAL_ERROR(true),
  HARDWARE_ERROR(false),
  NO_HEARTBEAT(false),
  UNKNOWN(true);

  private final boolean usesUpRetries;

  ExitReason(boolean usesUpRetries) {
    this.usesUpRetries = usesUpRetries;
  }

  /// Whether a shard that was out with such a worker has one retry less: only where the shard
  /// itself may have brought the worker down.
  public boolean usesUpRetries() {
    return usesUpRetries;
  }

  /// Whether it went for a reason that lies outside its program.
  public boolean fromOutside() {
    return switch (this) {
      case KILLED, HARDWARE_ERROR, NO_HEARTBEAT -> true;
      case SUCCEEDED, OOM, FATAL_ERROR, UNKNOWN -> false;
    };
  }

  /// Reads a process's exit code, as a shell counts it: 128 + n for signal n.
  public static ExitReason ofExitCode(int code) {
    return switch (code) {
      case 0 -> SUCCEEDED;
      case 247 -> OOM;
      case 137, 143 -> KILLED;
      case 1, 134 -> FATAL_ERROR;
      case 201, 202, 14 -> HARDWARE_ERROR;
      default -> UNKNOWN;
    };
  }
}
