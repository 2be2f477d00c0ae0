package dev.pliant.master.service;

import dev.pliant.machine.Command;
import dev.pliant.machine.Outlook;
import dev.pliant.machine.Silence;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.OutlookListener;
import dev.pliant.model.NodeId;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// Observes when the agents of nodes were last heard from, and tells agents of nodes that the
/// machine has given up. A node is followed from when the platform reports that it runs.
public final class NodeLiveness implements OutlookListener {
  private final LastHeard<NodeId> agents;
  private volatile DesiredNodes desired = DesiredNodes.UNDEFINED;
  private volatile Set<NodeId> wanted = Set.of();

  /// @param millis a clock that is never set
  public NodeLiveness(Silence.Limits limits, LongSupplier millis) {
    this.agents = new LastHeard<>(limits, millis);
  }

  @Override
  public void changed(Outlook outlook) {
    if (!outlook.nodes().equals(desired)) {
      wanted = outlook.nodes().nodes().stream().map(DesiredNode::id).collect(Collectors.toSet());
      desired = outlook.nodes();
      agents.retain(wanted);
    }
  }

  /// A platform reports that a node runs.
  public void runs(NodeId node) {
    agents.await(node);
  }

  /// An agent sent a heartbeat for its node. Nodes that are not wanted are not followed: a bound on
  /// what callers can make it hold.
  void beat(NodeId node) {
    if (wanted.contains(node)) {
      agents.heardFrom(node);
    }
  }

  /// Whether the machine has given a node up.
  boolean gone(NodeId node) {
    return desired.defined() && !wanted.contains(node);
  }

  /// Has the machine decide about nodes whose agents are silent.
  public void check(JobOwner owner) {
    agents.check(
        owner,
        (node, silence) -> new Command.CheckNode(node, silence, agents.limits()),
        // The machine no longer wants it, which the next outlook says.
        _ -> {});
  }
}
