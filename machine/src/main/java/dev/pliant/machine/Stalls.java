package dev.pliant.machine;

import dev.pliant.machine.rendezvous.Rendezvous;
import dev.pliant.machine.rendezvous.RendezvousEvent;
import dev.pliant.machine.rendezvous.RendezvousState;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.machine.shards.StepLedger.Verdict;
import java.util.List;

/// Notices members that compute while nothing of it is recorded.
final class Stalls {
  private Stalls() {}

  /// The newest world says that a step is done, and the ledger does not take it.
  ///
  /// @param next the step that the ledger waits for
  static List<RendezvousEvent> refused(
      RendezvousState state, Verdict verdict, Command.CommitStep command, StepLedger.Image next) {
    String why =
        "world %d says that step %d of epoch %d of dataset '%s' is done, and the ledger waits for step %d of epoch %d (%s)"
            .formatted(
                command.world(),
                command.step(),
                command.epoch(),
                command.dataset(),
                next.step(),
                next.epoch(),
                cause(verdict));
    // A new rank 0 says first how far its state is, which is recorded already.
    return Rendezvous.refused(
        state, command.epoch(), command.step(), why, verdict == Verdict.REPEATED);
  }

  private static String cause(Verdict verdict) {
    return switch (verdict) {
      case REPEATED -> "it was recorded before";
      case OLD_WORLD -> "the ledger has a commit of a newer world";
      case GAP -> "steps before it are missing";
      case TAKEN -> throw new IllegalArgumentException("a commit that is taken is not refused");
    };
  }
}
