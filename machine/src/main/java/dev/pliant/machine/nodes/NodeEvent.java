package dev.pliant.machine.nodes;

import dev.pliant.model.ExitReason;
import dev.pliant.model.JobPhase;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.NodeResources;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// What happened to a job's nodes: what the journal holds and replay applies.
public sealed interface NodeEvent {
  /// A plan was given, for the first time or another one. Its variables are not kept.
  ///
  /// @param anew whether the job begins again: the plan is of a newer run, and the job was over
  record JobDefined(JobPlan plan, boolean anew) implements NodeEvent {
    public JobDefined {
      plan = plan.withoutEnvironment();
    }
  }

  /// Another number of nodes of a role is wished.
  record Scaled(String role, int wish) implements NodeEvent {}

  /// New nodes of a role get this from now on.
  record RoleResized(String role, NodeResources resources) implements NodeEvent {}

  /// Nodes of a role had the numbers below `next` under a master whose journal is lost.
  record NumbersReserved(String role, int next) implements NodeEvent {}

  /// A wish was taken up, or refused.
  record WishTaken(Wish.Taken taken) implements NodeEvent {}

  /// A node is to be started.
  record NodeAdded(
      NodeId node,
      NodeResources resources,
      @Nullable NodeId replaces,
      int restarts,
      int streak,
      long backoffMillis)
      implements NodeEvent {}

  /// A node moved on in its life, and has not ended.
  ///
  /// @param lacksRoom whether it is pending because nothing has room for one of its size
  record NodeMoved(NodeId node, NodePhase phase, String message, boolean lacksRoom)
      implements NodeEvent {}

  /// A node ended.
  record NodeEnded(NodeId node, NodePhase phase, ExitReason reason, String message)
      implements NodeEvent {}

  /// Another node is to take a failed one's place.
  ///
  /// @param outside whether the node went for a reason from outside, which counts by the hour
  record RelaunchPlanned(Relaunch relaunch, boolean outside) implements NodeEvent {}

  /// Nodes were told to go; where one has ended and was to be replaced, it will not be.
  record NodesReleased(List<NodeId> nodes) implements NodeEvent {
    public NodesReleased {
      nodes = List.copyOf(nodes);
    }
  }

  /// A node is pending for too long, and all that can be done is to wait.
  record PendingNoted(NodeId node) implements NodeEvent {}

  /// The job moved on in its life. One that stops tells all its nodes to go.
  ///
  /// @param target where it will be once all nodes have ended; the phase itself unless it stops
  record PhaseChanged(JobPhase phase, JobPhase target, String reason) implements NodeEvent {}

  /// The job rests: every node is told to go, and is to be replaced once the job goes on, which is
  /// no failure and counts as none.
  record JobRested(String reason) implements NodeEvent {}

  /// The job goes on after a rest.
  record JobResumed() implements NodeEvent {}

  /// The job rested until then, and no master was there to tell its nodes to go: where one of them
  /// is gone, that is why.
  record RestMissed(long untilMillis) implements NodeEvent {}
}
