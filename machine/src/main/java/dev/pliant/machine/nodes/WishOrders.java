package dev.pliant.machine.nodes;

import dev.pliant.model.PliantException;
import java.util.List;

/// Decides what comes of a [Wish]: all of it is done, or nothing and the answer says why. Changes
/// nothing.
///
/// | wish | what is done | refused |
/// |---|---|---|
/// | a count | the role has so many | outside the role's bounds, no such role |
/// | a size | nodes of the role that are made from now on get it; a line keeps its own | no such role, no such size |
/// | one more | one more of the role, of that size | above the role's most, or the job rests |
/// | one to go | that node goes, the role has one less | below the role's fewest, no such node |
/// | one to replace | another of that size takes its place; it goes once that one runs ([Handovers]), or at once where the limits have no room for both | no such node |
/// | one to replace that the wish's own count brings | it is made of that size | the count brings fewer, or the job rests |
///
/// A wish after which all nodes together would use more than before and more than the job's limits
/// allow is refused, whatever it consists of; who replaces another counts instead of it. So is one
/// that asks for none of what a role's template gives.
///
/// A wish may say of itself that roles which the job has not are left out. One that was done and is
/// changed still names what it had replaced or sent away: where such a node is gone, or has the
/// size that is asked for, that part of it was done before.
public final class WishOrders {
  private WishOrders() {}

  /// @param decisions what is to be recorded; none where this wish was taken up before
  public record Outcome(List<NodeDecision> decisions, Wish.Taken taken) {}

  /// Somebody wishes something.
  ///
  /// @throws PliantException where the job has no nodes
  public static Outcome take(NodeTable table, Wish wish) {
    JobOrders.checkDefined(table);
    Wish.Taken before = table.taken(wish.source());
    if (before != null && before.generation() >= wish.generation()) {
      return new Outcome(List.of(), before);
    }
    WishDraft draft = new WishDraft(table, wish, before != null && before.everDone());
    draft.draw();
    return draft.outcome();
  }

  /// A wish that was done, as its answer says, is known to have been where the journal began anew
  /// since. What it came to is what the job had last ([LostJournal]); only what is changed in it
  /// from now on is taken up.
  ///
  /// @throws PliantException where the job has no nodes
  public static List<NodeDecision> recall(NodeTable table, Wish wish) {
    JobOrders.checkDefined(table);
    if (!table.journalLost()
        || table.taken(wish.source()) != null
        || table.forgetsWishes()
        || !table.phase().goesOn()) {
      return List.of();
    }
    Wish.Taken taken =
        new Wish.Taken(
            wish.source(),
            wish.generation(),
            true,
            true,
            "it was done before, and the journal of that is lost");
    return NodeDecision.observed(new NodeEvent.WishTaken(taken));
  }
}
