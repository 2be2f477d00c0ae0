package dev.pliant.machine.rendezvous;

/// Commits of the newest world that the ledger refused, since it last took one.
///
/// @param version the world
/// @param why why the last one was refused
/// @param sinceMillis when the first one was refused
/// @param confirmed whether another was refused so much later that the world's work is not recorded
/// @param earlierWorlds how many worlds right before this one ended because of a confirmed stall
public record Stall(
    long version, String why, long sinceMillis, boolean confirmed, int earlierWorlds) {

  /// Counts from a time again: no master was there to record anything.
  Stall from(long atMillis) {
    return new Stall(version, why, atMillis, confirmed, earlierWorlds);
  }
}
