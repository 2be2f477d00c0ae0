package dev.pliant.machine.rendezvous;

import dev.pliant.model.NodeId;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// What agents are to know: the newest world, whether it is to end, whether there will be another.
///
/// @param world the newest one, or null where there was none
/// @param reform that it is to end, or null
/// @param ending that there will be no further one, or null
public record Meeting(@Nullable World world, @Nullable Reform reform, @Nullable Ending ending) {
  /// Before anybody came.
  public static final Meeting NONE = new Meeting(null, null, null);

  /// @param abort whether to break off in the middle of a step
  public record Reform(long version, boolean abort, String why) {}

  /// @param waiting the nodes of those who waited when it was decided: they must hear of it now.
  ///   Whoever comes later is told then, and whoever trains is not disturbed
  public record Ending(boolean complete, String why, Set<NodeId> waiting) {
    public Ending {
      waiting = Set.copyOf(waiting);
    }
  }
}
