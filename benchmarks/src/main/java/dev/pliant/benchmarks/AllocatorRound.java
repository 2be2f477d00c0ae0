package dev.pliant.benchmarks;

import dev.pliant.autoscaling.cluster.ClusterJob;
import dev.pliant.autoscaling.cluster.ClusterNode;
import dev.pliant.autoscaling.cluster.ClusterPod;
import dev.pliant.autoscaling.cluster.ClusterSnapshot;
import dev.pliant.autoscaling.cluster.FulfilmentPolicy;
import dev.pliant.autoscaling.cluster.FulfilmentSettings;
import dev.pliant.autoscaling.cluster.PodAmounts;
import dev.pliant.autoscaling.cluster.PodSize;
import dev.pliant.model.JobId;
import java.util.ArrayList;
import java.util.List;

/// One round of the allocator: half of the jobs run with one trainer, the others wait, and all GPUs
/// are given out.
final class AllocatorRound implements Measure {
  private static final int NODES = 4_096;
  private static final int GPUS = 16_384;
  private static final int WARM_UP = 20;

  @Override
  public String name() {
    return "allocator";
  }

  @Override
  public String what() {
    return "one round of the allocator for jobs on 16,384 GPUs in 4,096 nodes";
  }

  @Override
  public List<Row> run(Bench bench) {
    List<Row> rows = new ArrayList<>();
    for (int jobs : new int[] {100, 1_000, 10_000}) {
      Series millis = millis(snapshot(jobs), bench.plan().rounds());
      bench.say("%,d jobs: %.1f ms", jobs, millis.median());
      Bar bar = jobs == 10_000 ? new Bar.ValueAtMost(1_000) : Bar.none();
      rows.add(
          Row.of("allocator", "one round for %,d jobs".formatted(jobs), "ms", millis, bar)
              .with("jobs", jobs)
              .with("nodes", NODES)
              .with("gpus", GPUS));
    }
    return rows;
  }

  private static Series millis(ClusterSnapshot snapshot, int rounds) {
    FulfilmentPolicy policy = new FulfilmentPolicy(FulfilmentSettings.DEFAULT);
    double[] millis = new double[rounds];
    for (int round = -WARM_UP; round < rounds; round++) {
      long began = System.nanoTime();
      int sizes = policy.allocate(snapshot).size();
      if (sizes != snapshot.jobs().size()) {
        throw new IllegalStateException("%d sizes".formatted(sizes));
      }
      if (round >= 0) {
        millis[round] = (System.nanoTime() - began) / 1e6;
      }
    }
    return Series.of(millis);
  }

  private static ClusterSnapshot snapshot(int jobs) {
    List<ClusterNode> nodes = new ArrayList<>();
    for (int i = 0; i < NODES; i++) {
      nodes.add(new ClusterNode("node-" + i, new PodAmounts(64, 512_000, GPUS / NODES), true));
    }
    PodSize trainer = PodSize.of(4, 32_000, 1);
    List<ClusterPod> pods = new ArrayList<>();
    List<ClusterJob> all = new ArrayList<>();
    for (int i = 0; i < jobs; i++) {
      JobId job = new JobId("default", "job-" + i);
      int running = i % 2;
      if (running == 1) {
        pods.add(
            new ClusterPod(
                job.name(),
                "node-" + i % NODES,
                ClusterPod.Phase.RUNNING,
                trainer,
                job,
                ClusterPod.Kind.TRAINER));
      }
      all.add(new ClusterJob(job, 1, 2 + 4 * GPUS / jobs, running, trainer, null, 0));
    }
    return new ClusterSnapshot(1, nodes, pods, all);
  }
}
