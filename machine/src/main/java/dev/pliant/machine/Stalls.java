package dev.pliant.machine;

import dev.pliant.machine.rendezvous.Rendezvous;
import dev.pliant.machine.rendezvous.RendezvousEvent;
import dev.pliant.machine.rendezvous.RendezvousState;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.machine.shards.StepLedger.Verdict;
import java.util.List;

/// Notices members that compute while the ledger refuses their steps.
final class Stalls {
  private Stalls() {}

  /// The newest world reports a step, and the ledger does not take it. A step that is recorded
  /// already is no stall: a member whose state is behind the ledger catches up with it.
  ///
  /// @param next the step that the ledger expects
  static List<RendezvousEvent> refused(
      RendezvousState state,
      Verdict verdict,
      Command.CommitStep command,
      StepLedger.Image next,
      long nowMillis) {
    String cause =
        switch (verdict) {
          case OLD_WORLD -> "a newer world has committed already";
          case GAP -> "steps before it are missing";
          case REPEATED, TAKEN -> "";
        };
    if (cause.isEmpty()) {
      return List.of();
    }
    String why =
        "World %d reported step %d of epoch %d of dataset '%s'. The ledger refused it: %s; it expects step %d of epoch %d."
            .formatted(
                command.world(),
                command.step(),
                command.epoch(),
                command.dataset(),
                cause,
                next.step(),
                next.epoch());
    return Rendezvous.refused(state, why, nowMillis);
  }
}
