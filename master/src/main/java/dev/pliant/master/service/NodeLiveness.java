package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.Outlook;
import dev.pliant.machine.nodes.DesiredNode;
import dev.pliant.machine.nodes.DesiredNodes;
import dev.pliant.master.owner.JobOwner;
import dev.pliant.master.owner.OutlookListener;
import dev.pliant.master.owner.Request;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;

/// Notices nodes whose agents fall silent and tells the machine, and tells agents of nodes that the
/// machine has given up. A node is followed from when it is seen to run.
public final class NodeLiveness implements OutlookListener {
  private final Duration timeout;
  private final Duration more;
  private final LongSupplier nanoTime;
  private final Map<NodeId, Long> heard = new ConcurrentHashMap<>();
  private volatile DesiredNodes desired = DesiredNodes.UNDEFINED;
  private volatile Set<NodeId> wanted = Set.of();

  /// @param firstWord how long the first word of a node may take, since it was seen to run
  public NodeLiveness(Duration timeout, Duration firstWord, LongSupplier nanoTime) {
    this.timeout = timeout;
    this.more = firstWord.minus(timeout);
    this.nanoTime = nanoTime;
  }

  @Override
  public void changed(Outlook outlook) {
    if (!outlook.nodes().equals(desired)) {
      wanted = outlook.nodes().nodes().stream().map(DesiredNode::id).collect(Collectors.toSet());
      desired = outlook.nodes();
      heard.keySet().retainAll(wanted);
    }
  }

  /// A platform has seen that a node runs.
  public void runs(NodeId node) {
    heard.putIfAbsent(node, nanoTime.getAsLong() + more.toNanos());
  }

  /// An agent speaks for its node. Who is not wanted is not followed: callers cannot make it hold
  /// more than there is.
  void beat(NodeId node) {
    if (wanted.contains(node)) {
      heard.put(node, nanoTime.getAsLong());
    }
  }

  /// Whether the machine has given a node up.
  boolean gone(NodeId node) {
    return desired.defined() && !wanted.contains(node);
  }

  /// Tells the machine of every node whose agent is silent for too long.
  public void check(JobOwner owner) {
    long now = nanoTime.getAsLong();
    heard.forEach((node, last) -> {
      if (now - last > timeout.toNanos() && heard.remove(node, last) && wanted.contains(node)) {
        giveUp(owner, node);
      }
    });
  }

  private void giveUp(JobOwner owner, NodeId node) {
    String silent =
        "nothing was heard of the agent of node %s for %d s".formatted(node, timeout.toSeconds());
    owner.submit(
        new Request(
            List.of(new Command.LoseNode(node, silent)),
            new Request.Reply() {
              @Override
              public void answer(List<Answer> answers) {}

              @Override
              public void fail(PliantException why) {
                // Not now: follow it on, and tell again.
                heard.putIfAbsent(node, nanoTime.getAsLong());
              }
            }));
  }
}
