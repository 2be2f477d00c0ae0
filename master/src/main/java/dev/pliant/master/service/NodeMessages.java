package dev.pliant.master.service;

import dev.pliant.machine.nodes.Node;
import dev.pliant.machine.nodes.NodesImage;
import dev.pliant.master.journal.ProtoEnums;
import dev.pliant.master.stats.StatsCollector;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.NodeCounts;
import dev.pliant.protocol.v1.NodeStatus;
import dev.pliant.protocol.v1.NodeUsage;

/// What the wire says of nodes, checked, and back.
final class NodeMessages {
  private static final int MAX_ACTIVITIES = 32;

  private NodeMessages() {}

  // In.

  /// A count that came unsigned.
  static int count(String what, int count) {
    if (count < 0 || count > JobPlan.MAX_NODES) {
      throw WireCodec.bad(
          "%s is %s; from 1 to %,d can be asked for."
              .formatted(what, Integer.toUnsignedString(count), JobPlan.MAX_NODES));
    }
    return count;
  }

  static void collect(NodeId node, NodeUsage usage, StatsCollector stats, long nowMillis) {
    WireCodec.checkCount("activities", usage.getActivityMsCount(), MAX_ACTIVITIES);
    if (!sensible(usage.getCpu()) || !sensible(usage.getMemoryMib())) {
      throw WireCodec.bad(
          "node %s cannot use %s cores and %s MiB."
              .formatted(node, usage.getCpu(), usage.getMemoryMib()));
    }
    usage.getActivityMsMap().keySet().forEach(name -> WireCodec.text("activity", name));
    stats.collectNodeUsage(
        node,
        new StatsCollector.Sample(nowMillis, usage.getCpu(), usage.getMemoryMib()),
        usage.getActivityMsMap());
  }

  private static boolean sensible(double used) {
    return used >= 0 && used < 1e12;
  }

  // Out.

  static void describe(NodesImage nodes, StatsCollector stats, GetJobResponse.Builder response) {
    JobPlan plan = nodes.plan();
    if (plan == null) {
      return; // Others start the job's processes.
    }
    response
        .setPhase(ProtoEnums.JOB_PHASE.encode(nodes.phase()))
        .setPhaseReason(nodes.phaseReason())
        .setCounts(counts(nodes.wish(), plan.workers().min(), plan.workers().max()));
    nodes.nodes().forEach(node -> response.addNodes(status(node, stats)));
  }

  static NodeCounts counts(int wish, int min, int max) {
    return NodeCounts.newBuilder().setWish(wish).setMin(min).setMax(max).build();
  }

  private static NodeStatus status(Node node, StatsCollector stats) {
    NodeStatus.Builder status =
        NodeStatus.newBuilder()
            .setName(node.id().toString())
            .setRole(node.id().role())
            .setPhase(ProtoEnums.NODE_PHASE.encode(node.phase()))
            .setReason(WireCodec.reason(node.reason()))
            .setMessage(node.message())
            .setReplaces(node.replaces() == null ? "" : node.replaces().toString())
            .setRestarts(node.restarts())
            .setReleased(node.released())
            .setCreatedMs(node.createdMillis())
            .setStartedMs(node.startedMillis())
            .setEndedMs(node.endedMillis())
            .setCpuLimit(node.resources().cpu())
            .setMemoryLimitMib(node.resources().memoryMib());
    stats
        .node(node.id())
        .ifPresent(known ->
            status
                .setCpu(known.newest().cpu())
                .setMemoryMib(known.newest().memoryMib())
                .putAllActivityMs(known.activityMillis()));
    return status.build();
  }
}
