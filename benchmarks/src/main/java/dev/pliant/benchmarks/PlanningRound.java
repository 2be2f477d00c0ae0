package dev.pliant.benchmarks;

import dev.pliant.autoscaling.job.Allocation;
import dev.pliant.autoscaling.job.AutoScalingSettings;
import dev.pliant.autoscaling.job.FreeRoom;
import dev.pliant.autoscaling.job.JobConstraints;
import dev.pliant.autoscaling.job.JobResourceOptimizer;
import dev.pliant.autoscaling.job.JobStage;
import dev.pliant.autoscaling.job.JobStatistics;
import dev.pliant.autoscaling.job.ModelFacts;
import dev.pliant.autoscaling.job.NodeUsage;
import dev.pliant.autoscaling.job.RoleConstraints;
import dev.pliant.autoscaling.job.RoleSize;
import dev.pliant.autoscaling.job.Roles;
import dev.pliant.autoscaling.job.ScalingState;
import dev.pliant.autoscaling.job.SpeedSample;
import dev.pliant.autoscaling.job.StageState;
import dev.pliant.autoscaling.job.UsageRecord;
import dev.pliant.autoscaling.job.WorkerPhase;
import dev.pliant.autoscaling.job.local.LocalOptimizer;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceLimits;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/// One planning round for a job of 10,000 nodes, beside the time to copy their statistics.
final class PlanningRound implements Measure {
  private static final int SERVERS = 15;
  private static final int WORKERS = 9_985;
  private static final long NOW = 10_000_000;
  private static final int WARM_UP = 20;

  @Override
  public String name() {
    return "planning";
  }

  @Override
  public String what() {
    return "one planning round for a job of 10,000 nodes";
  }

  @Override
  public List<Row> run(Bench bench) {
    Allocation now = allocation();
    JobStatistics statistics = statistics(now);
    int rounds = bench.plan().rounds();
    double[] planning = new double[rounds];
    double[] copying = new double[rounds];
    for (int round = -WARM_UP; round < rounds; round++) {
      double plan = millis(() -> plan(now, statistics));
      double copy = millis(() -> copy(statistics));
      if (round >= 0) {
        planning[round] = plan;
        copying[round] = copy;
      }
    }
    Row row =
        Row.of(
            "planning",
            "one round for 10,000 nodes",
            "ms",
            Series.of(planning),
            new Bar.ValueAtMost(50));
    Row beside =
        Row.of(
                "planning",
                "one round for 10,000 nodes, beside a copy",
                "ms",
                Series.of(planning),
                new Bar.RatioBelow(2))
            .beside("copying their statistics", Series.of(copying));
    return List.of(row, beside);
  }

  private static double millis(Runnable work) {
    long began = System.nanoTime();
    work.run();
    return (System.nanoTime() - began) / 1e6;
  }

  private static void plan(Allocation now, JobStatistics statistics) {
    AutoScalingSettings settings = AutoScalingSettings.DEFAULT;
    SortedMap<String, RoleConstraints> roles = new TreeMap<>();
    roles.put(Roles.SERVER, RoleConstraints.of(1, SERVERS));
    roles.put(Roles.WORKER, RoleConstraints.of(1, 10_000));
    ScalingState state =
        new ScalingState(
            new StageState(JobStage.RUNNING, WorkerPhase.STABLE),
            List.of(),
            List.of(),
            Collections.emptySortedMap(),
            WORKERS,
            0);
    new JobResourceOptimizer(new LocalOptimizer(settings), settings)
        .round(
            state,
            new JobConstraints(roles, new ResourceLimits(200_000.0, null, null, null)),
            now,
            statistics,
            NOW);
  }

  private static Allocation allocation() {
    NodeResources size = new NodeResources(8, 16_000, 0);
    SortedMap<NodeId, NodeResources> nodes = new TreeMap<>();
    for (int i = 0; i < SERVERS; i++) {
      nodes.put(new NodeId(Roles.SERVER, i), size);
    }
    for (int i = 0; i < WORKERS; i++) {
      nodes.put(new NodeId(Roles.WORKER, i), size);
    }
    SortedMap<String, RoleSize> roles = new TreeMap<>();
    roles.put(Roles.SERVER, new RoleSize(SERVERS, size));
    roles.put(Roles.WORKER, new RoleSize(WORKERS, size));
    return new Allocation(roles, nodes);
  }

  private static JobStatistics statistics(Allocation now) {
    JobStatistics statistics =
        new JobStatistics(List.of(), List.of(), ModelFacts.UNKNOWN, FreeRoom.UNKNOWN);
    for (int i = 1; i <= JobStatistics.KEPT_EACH_RUN; i++) {
      List<NodeUsage> usage = new ArrayList<>();
      now.nodes().forEach((node, size) -> usage.add(new NodeUsage(node, size, 6, 9_000)));
      statistics =
          statistics
              .with(new UsageRecord(NOW - 1_000 * i, usage))
              .with(new SpeedSample(NOW - 1_000 * i, WORKERS, SERVERS, 1_000));
    }
    return statistics;
  }

  /// As whoever keeps statistics by node copies them into a value.
  private static void copy(JobStatistics statistics) {
    List<UsageRecord> records = new ArrayList<>();
    for (UsageRecord record : statistics.usage()) {
      SortedMap<NodeId, NodeUsage> nodes = new TreeMap<>();
      for (NodeUsage usage : record.nodes()) {
        nodes.put(
            usage.node(),
            new NodeUsage(
                usage.node(),
                usage.configured(),
                usage.cpu(),
                usage.memoryMib(),
                usage.freeGpuMemoryMib()));
      }
      records.add(new UsageRecord(record.atMillis(), List.copyOf(nodes.values())));
    }
    if (records.size() != statistics.usage().size()) {
      throw new IllegalStateException("%d records".formatted(records.size()));
    }
  }
}
