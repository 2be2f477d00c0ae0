package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.Meeting.Ending;
import dev.pliant.machine.rendezvous.Meeting.Reform;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A [RendezvousState] as a value: what a snapshot holds.
///
/// @param members the living, oldest first
/// @param departed those that are gone, the longest gone first
/// @param world the newest world, or null
/// @param reform that it is to end, or null
/// @param breakWhy what broke the world, or empty
/// @param ending that there will be no further one, or null
/// @param stall what the newest world did in vain, or null
public record RendezvousImage(
    RendezvousRules rules,
    List<MemberImage> members,
    List<DepartedImage> departed,
    @Nullable WorldImage world,
    @Nullable Reform reform,
    String breakWhy,
    @Nullable Ending ending,
    Clocks clocks,
    @Nullable Stall stall) {

  public RendezvousImage {
    members = List.copyOf(members);
    departed = List.copyOf(departed);
  }

  /// @param lastWorld the newest world it was in; 0 for none
  /// @param training whether it is in the newest world; else it waits
  public record MemberImage(
      MemberId id,
      NodeId node,
      long lastWorld,
      boolean holdsState,
      String address,
      boolean training,
      boolean draining) {}

  public record DepartedImage(WorkerId worker, Departed departed) {}

  public record WorldImage(long version, long formedMillis, int maxSize, List<World.Seat> seats) {
    public WorldImage {
      seats = List.copyOf(seats);
    }
  }

  /// Since when something holds that deadlines are counted from, in milliseconds since 1970; −1
  /// where it does not hold.
  ///
  /// @param quorum as many wait as a world needs, and none trains
  /// @param tooFew some wait, and they are too few for a world after one
  /// @param gain the world would be larger with those who wait
  /// @param firstOut a member has come out of the world
  /// @param broken a member of the world is gone
  public record Clocks(long quorum, long tooFew, long gain, long firstOut, long broken) {
    public static final long OFF = -1;
    public static final Clocks STOPPED = new Clocks(OFF, OFF, OFF, OFF, OFF);

    /// Counts anew from a time, whatever runs.
    Clocks from(long atMillis) {
      return new Clocks(
          restarted(quorum, atMillis),
          restarted(tooFew, atMillis),
          restarted(gain, atMillis),
          restarted(firstOut, atMillis),
          restarted(broken, atMillis));
    }

    /// A member has come out of the world.
    Clocks out(long atMillis) {
      return new Clocks(quorum, tooFew, gain, run(firstOut, true, atMillis), broken);
    }

    /// A member of the world is gone.
    Clocks broken(long atMillis) {
      return new Clocks(quorum, tooFew, gain, firstOut, run(broken, true, atMillis));
    }

    private static long restarted(long since, long atMillis) {
      return since == OFF ? OFF : atMillis;
    }

    /// Runs since `atMillis` at the latest, where the condition holds.
    static long run(long since, boolean holds, long atMillis) {
      if (!holds) {
        return OFF;
      }
      return since == OFF ? atMillis : since;
    }
  }
}
