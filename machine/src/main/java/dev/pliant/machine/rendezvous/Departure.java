package dev.pliant.machine.rendezvous;

/// How a member ceased to be one.
public enum Departure {
  /// Its process ended, or nothing was heard of it.
  ENDED,
  /// Its agent, opening a stream anew, no longer has it.
  MISSING,
  /// It was asked to go, and came out of its world.
  RELEASED,
  /// It did not come out of its world in time.
  LEFT_OUT,
  /// A later life of the same worker came.
  REPLACED
}
