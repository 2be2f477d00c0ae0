package dev.pliant.machine.nodes;

/// Whether a job is to rest, as its platform says.
///
/// @param now whether it is to have no nodes from now on, until it is to go on
/// @param untilMillis where it is to run: until when it rested last, as far as anybody remembers; 0
///   where it never did
public record Rest(boolean now, long untilMillis) {
  /// It is to run, and always was.
  public static final Rest NONE = new Rest(false, 0);
}
