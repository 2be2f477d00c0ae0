package dev.pliant.machine.rendezvous;

import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import java.util.List;

/// What happened in a rendezvous: what the journal holds and replay applies.
public sealed interface RendezvousEvent {
  record RulesSet(RendezvousRules rules) implements RendezvousEvent {}

  /// A member waits for the world after `after`: a new one, or one that came out of its world.
  record Arrived(MemberId member, NodeId node, long after, boolean holdsState, String address)
      implements RendezvousEvent {}

  /// A member of the world is to go.
  record Draining(MemberId member) implements RendezvousEvent {}

  record Gone(MemberId member, Departure how, ExitReason reason, String why)
      implements RendezvousEvent {}

  /// The newest world reported a step, and the ledger refused it.
  ///
  /// @param confirmed whether the ledger has refused its steps for so long that it works in vain
  record CommitRefused(long version, String why, boolean confirmed) implements RendezvousEvent {}

  /// The world is to end.
  record ReformWanted(long version, String why) implements RendezvousEvent {}

  /// Who is still in the world that ends is to break off.
  record AbortWanted(long version) implements RendezvousEvent {}

  /// @param members those in it, in the order of their ranks
  record WorldFormed(long version, List<WorkerId> members) implements RendezvousEvent {
    public WorldFormed {
      members = List.copyOf(members);
    }
  }

  /// There will be no further world.
  record Closed(boolean complete, String why) implements RendezvousEvent {}

  /// There will be worlds again: the job begins anew.
  record Reopened() implements RendezvousEvent {}
}
