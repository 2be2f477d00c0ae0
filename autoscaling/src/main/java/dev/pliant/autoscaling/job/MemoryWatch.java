package dev.pliant.autoscaling.job;

import dev.pliant.autoscaling.job.AutoScalingSettings.MemorySettings;
import dev.pliant.autoscaling.job.AutoScalingSettings.SizeSettings;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Rule;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// Gives nodes more memory before they run out of it: a node that used more than 0.9 of its limit
/// in each of the newest 3 records. Records of another limit do not count, so an increase is not
/// repeated before it shows. Fuller nodes come first.
record MemoryWatch(MemorySettings settings, SizeSettings size) {

  PlanAnswer plan(OptimizerInput input, SortedMap<NodeId, Integer> increases) {
    List<UsageRecord> records = new ArrayList<>();
    for (UsageRecord record : input.statistics().usage()) {
      if (record.atMillis() <= input.nowMillis()) {
        records.add(record);
      }
    }
    records.sort(Comparator.comparingLong(UsageRecord::atMillis));
    if (records.size() < settings.samples()
        || records.getLast().atMillis() <= input.sinceMillis()) {
      return PlanAnswer.none(NoPlanReason.NO_STATISTICS);
    }
    Map<NodeId, Full> full = full(records, input);
    if (full.isEmpty()) {
      return PlanAnswer.none(NoPlanReason.UNCHANGED);
    }
    List<NodeId> nodes = new ArrayList<>(full.keySet());
    nodes.sort(
        Comparator.comparingDouble((NodeId node) -> -full.getOrDefault(node, Full.NOT).share())
            .thenComparing(Comparator.naturalOrder()));
    NodeId fullest = nodes.getFirst();
    PlanBuilder plan =
        new PlanBuilder(Rule.NEARLY_OUT_OF_MEMORY, Goal.MEMORY)
            .count(InputName.NODES, nodes.size())
            .count(InputName.SAMPLES, settings.samples())
            .mib(InputName.MEMORY_USED, full.getOrDefault(fullest, Full.NOT).usedMib())
            .count(InputName.INCREASES, increases.getOrDefault(fullest, 0));
    return MemoryIncrease.plan(plan, nodes, input, size);
  }

  private record Full(int records, double usedMib, double share) {
    static final Full NOT = new Full(0, 0, 0);
  }

  private Map<NodeId, Full> full(List<UsageRecord> records, OptimizerInput input) {
    Map<NodeId, Full> full = new TreeMap<>();
    int last = records.size() - 1;
    for (int i = 0; i < settings.samples(); i++) {
      for (NodeUsage usage : records.get(last - i).nodes()) {
        Full before = full.getOrDefault(usage.node(), Full.NOT);
        if (before.records() == i && isFull(usage, input)) {
          double share = usage.memoryMib() / usage.configured().memoryMib();
          full.put(
              usage.node(),
              i == 0
                  ? new Full(1, usage.memoryMib(), share)
                  : new Full(i + 1, before.usedMib(), before.share()));
        }
      }
    }
    full.values().removeIf(each -> each.records() < settings.samples());
    return full;
  }

  private boolean isFull(NodeUsage usage, OptimizerInput input) {
    double limit = usage.configured().memoryMib();
    if (!usage.isUsable() || limit == 0 || usage.memoryMib() <= settings.share() * limit) {
      return false;
    }
    NodeResources has = input.now().nodes().get(usage.node());
    return has != null && has.memoryMib() == usage.configured().memoryMib();
  }
}
