package dev.pliant.machine;

import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.machine.rendezvous.Meeting;

/// What a job's machine wants of everything outside it, as one immutable value. It says what is to
/// be, not what has changed: whoever carries it out compares it with what is, so that nothing is
/// lost with an executor, a stream or a master, and a new master simply publishes what it replayed.
///
/// @param meeting what agents are to know of worlds
/// @param nextDeadlineMillis when something falls due although nobody says anything, in
///   milliseconds since 1970; [Long#MAX_VALUE] for never
/// @param nodes what the platform is to have
public record Outlook(Meeting meeting, long nextDeadlineMillis, DesiredNodes nodes) {
  /// Before anything is known.
  public static final Outlook NOTHING =
      new Outlook(Meeting.NONE, Long.MAX_VALUE, DesiredNodes.UNDEFINED);
}
