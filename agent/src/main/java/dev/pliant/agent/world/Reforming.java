package dev.pliant.agent.world;

/// That a world is to end, or not.
///
/// @param level 0 where it is not, 1 at the next boundary, 2 at once
/// @param why for people; empty at level 0
public record Reforming(int level, String why) {
  public static final Reforming NOT = new Reforming(0, "");
  static final int AT_BOUNDARY = 1;
  static final int AT_ONCE = 2;

  /// Whether to break off in the middle of a collective.
  public boolean abort() {
    return level >= AT_ONCE;
  }

  /// The more urgent of both.
  Reforming or(Reforming other) {
    return other.level > level ? other : this;
  }
}
