package dev.pliant.agent.world;

/// What a process that waits for a world is told.
public sealed interface WorldAnswer {
  /// It is in one.
  record Inside(Placement placement) implements WorldAnswer {}

  /// There is none yet.
  record Wait() implements WorldAnswer {}

  /// It was asked to go: it ends now, and all is well.
  record Released(String why) implements WorldAnswer {}

  /// It was given up meanwhile; it may begin again.
  record Excluded(String why) implements WorldAnswer {}

  /// There will be no further world.
  record Closed(boolean complete, String why) implements WorldAnswer {}
}
