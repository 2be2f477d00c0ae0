package dev.pliant.machine.rendezvous;

/// What will happen in a rendezvous if nobody says anything more, and when.
public sealed interface Next {
  /// When it is due, in milliseconds since 1970; [#AT_ONCE] and [#NEVER] included.
  long atMillis();

  long AT_ONCE = Long.MIN_VALUE;
  long NEVER = Long.MAX_VALUE;

  record Nothing() implements Next {
    @Override
    public long atMillis() {
      return NEVER;
    }
  }

  /// A world is formed of those who wait.
  record Form(long atMillis, Trigger trigger) implements Next {}

  /// Why a world is formed at a time.
  enum Trigger {
    /// All of the world before that live have come.
    SURVIVORS_ARRIVED,
    /// All that are requested have come, or as many as a world may have.
    ALL_REQUESTED_ARRIVED,
    /// Enough have come, and nobody else during the last call.
    LAST_CALL_OVER
  }

  /// The world is to end.
  record Reform(long atMillis, String why) implements Next {}

  /// Those still in the world that ends are to break off.
  record Abort(long atMillis) implements Next {}

  /// Those still in the world that ends are left out.
  record LeaveOut(long atMillis, String why) implements Next {}

  /// The ledger refuses the steps of one world after the other.
  record Stalled(long atMillis, String why) implements Next {}

  /// Those who wait are too few for too long.
  record GiveUp(long atMillis) implements Next {}
}
