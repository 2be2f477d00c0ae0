package dev.pliant.machine.nodes;

import dev.pliant.model.NodeId;
import dev.pliant.model.decision.RecentDecisions;
import java.util.List;

/// What a platform is to have. It says what is to be, not what has changed: whoever carries it out
/// compares it with what is.
///
/// @param defined whether the job has nodes of its own; else nothing is wanted of a platform
/// @param job where the job is, for a platform that shows it
public record DesiredNodes(boolean defined, List<DesiredNode> nodes, JobStanding job) {
  /// Nothing is wanted of a platform.
  public static final DesiredNodes UNDEFINED = new DesiredNodes(false, List.of(), JobStanding.NONE);

  public DesiredNodes {
    nodes = List.copyOf(nodes);
  }

  /// The same, with the decisions that it comes from.
  public DesiredNodes explained(RecentDecisions by) {
    return defined && !by.equals(job.decisions())
        ? new DesiredNodes(true, nodes, job.explained(by))
        : this;
  }

  public boolean contains(NodeId node) {
    return nodes.stream().anyMatch(desired -> desired.id().equals(node));
  }
}
