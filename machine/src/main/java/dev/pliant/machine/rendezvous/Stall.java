package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.RendezvousImage.Clocks;

/// Commits of the newest world that the ledger refused, since it last took one.
///
/// @param version the world
/// @param epoch of the step that was refused first
/// @param step that was refused first
/// @param why why the last one was refused
/// @param sinceMillis since when nothing is recorded; [Clocks#OFF] while only one step was refused
///   that was recorded before, as a new rank 0 repeats it
/// @param earlierWorlds how many worlds before this one were ended for the same, one after the
///   other
public record Stall(
    long version, long epoch, long step, String why, long sinceMillis, int earlierWorlds) {

  boolean isRunning() {
    return sinceMillis != Clocks.OFF;
  }

  /// Counts anew from a time: no master was there to record anything.
  Stall from(long atMillis) {
    return isRunning() ? new Stall(version, epoch, step, why, atMillis, earlierWorlds) : this;
  }
}
