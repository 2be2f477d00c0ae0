package dev.pliant.master.nodes;

import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A [NodeTable] as a value: what a snapshot holds.
///
/// @param plan null where the job has no nodes of its own
/// @param target where a job that stops will be
/// @param finishingMillis since when a node has succeeded and the others are to come to their end;
///   0 where none has
/// @param memoryMib what new nodes get at least, because others of them needed it
/// @param outsideEnds when nodes went for a reason from outside, within the last hour
public record NodesImage(
    @Nullable JobPlan plan,
    int wish,
    JobPhase phase,
    JobPhase target,
    String phaseReason,
    long finishingMillis,
    long memoryMib,
    int nextNumber,
    List<Node> nodes,
    List<Relaunch> relaunches,
    List<Long> outsideEnds) {

  /// Of a job without nodes of its own.
  public static final NodesImage NONE =
      new NodesImage(
          null,
          0,
          JobPhase.PENDING,
          JobPhase.PENDING,
          "",
          0,
          0,
          0,
          List.of(),
          List.of(),
          List.of());

  public NodesImage {
    nodes = List.copyOf(nodes);
    relaunches = List.copyOf(relaunches);
    outsideEnds = List.copyOf(outsideEnds);
  }
}
