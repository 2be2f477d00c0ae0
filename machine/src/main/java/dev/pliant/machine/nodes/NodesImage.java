package dev.pliant.machine.nodes;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A [NodeTable] as a value: what a snapshot holds.
///
/// @param plan null where the job has no nodes of its own
/// @param roles by name; workers are always among them
/// @param target where a job that stops will be
/// @param finishingMillis since when a node has succeeded and the others are to come to their end;
///   0 where none has
/// @param outsideEnds when nodes went for a reason from outside, within the last hour
/// @param wishes what came of the newest wishes, the oldest first
/// @param replacements how many nodes took the place of another; after a rest nobody did
/// @param restedUntilMillis until when the job rested without a master that saw it; 0 where it
///   never did
/// @param journalLost whether the journal began anew while the job ran
public record NodesImage(
    @Nullable JobPlan plan,
    List<RoleCount> roles,
    JobPhase phase,
    JobPhase target,
    String phaseReason,
    long finishingMillis,
    List<Node> nodes,
    List<Relaunch> relaunches,
    List<Long> outsideEnds,
    List<Wish.Taken> wishes,
    int replacements,
    long restedUntilMillis,
    boolean journalLost) {

  /// Of a job without nodes of its own.
  public static final NodesImage NONE =
      new NodesImage(
          null,
          List.of(RoleCount.none(NodeId.WORKER)),
          JobPhase.PENDING,
          JobPhase.PENDING,
          "",
          0,
          List.of(),
          List.of(),
          List.of(),
          List.of(),
          0,
          0,
          false);

  public NodesImage {
    roles = List.copyOf(roles);
    nodes = List.copyOf(nodes);
    relaunches = List.copyOf(relaunches);
    outsideEnds = List.copyOf(outsideEnds);
    wishes = List.copyOf(wishes);
  }

  /// What is known of the workers as a whole.
  public RoleCount worker() {
    return roles.stream()
        .filter(role -> role.role().equals(NodeId.WORKER))
        .findFirst()
        .orElseGet(() -> RoleCount.none(NodeId.WORKER));
  }

  /// How many workers are wished.
  public int wish() {
    return worker().wish();
  }

  /// The number that the next worker gets.
  public int nextNumber() {
    return worker().nextNumber();
  }
}
