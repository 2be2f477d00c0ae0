package dev.pliant.autoscaling.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.autoscaling.cluster.ClusterPod.Kind;
import dev.pliant.autoscaling.cluster.ClusterPod.Phase;
import dev.pliant.autoscaling.cluster.JobAllocation.State;
import dev.pliant.model.JobId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// Seeded random clusters in which jobs come and go and nodes are lost.
final class FulfilmentSearchTest {
  private static final int CLUSTERS = Integer.getInteger("pliant.clusters", 150);

  private final long seed = Long.getLong("pliant.seed", System.nanoTime());

  @Test
  void whateverComesAndGoesTheRulesHold() {
    System.out.println("seed " + seed + " (-Dpliant.seed)");
    for (int i = 0; i < CLUSTERS; i++) {
      new Life(new SplittableRandom(seed + i), "seed %d, cluster %d".formatted(seed, i)).live();
    }
  }

  /// A cluster whose scheduler places pods where they fit, and whose jobs do what they are told.
  private static final class Life {
    private final SplittableRandom random;
    private final String which;
    private final FulfilmentPolicy policy;
    private final List<ClusterNode> nodes = new ArrayList<>();
    private List<ClusterPod> pods = new ArrayList<>();
    private final List<ClusterJob> jobs = new ArrayList<>();
    private long now = 1_000_000;
    private int names;

    Life(SplittableRandom random, String which) {
      this.random = random;
      this.which = which;
      this.policy =
          new FulfilmentPolicy(new FulfilmentSettings(0.97, random.nextBoolean(), 0, 5_000));
      for (int i = random.nextInt(0, 8); i > 0; i--) {
        addNode();
      }
    }

    void live() {
      for (int step = 0; step < 12; step++) {
        switch (random.nextInt(5)) {
          case 0 -> addNode();
          case 1 -> loseNode();
          case 2 -> endJob();
          default -> addJob();
        }
        settle(which + ", step " + step);
      }
    }

    private void addNode() {
      nodes.add(
          new ClusterNode(
              "node-" + names++,
              new PodAmounts(
                  random.nextInt(1, 64), random.nextInt(1_000, 64_000), random.nextInt(0, 9)),
              random.nextInt(10) != 0));
    }

    private void loseNode() {
      if (!nodes.isEmpty()) {
        ClusterNode lost = nodes.remove(random.nextInt(nodes.size()));
        pods.removeIf(pod -> lost.name().equals(pod.node()));
      }
    }

    private void endJob() {
      if (!jobs.isEmpty()) {
        JobId over = jobs.remove(random.nextInt(jobs.size())).id();
        pods.removeIf(pod -> over.equals(pod.job()));
      }
    }

    private void addJob() {
      int min = random.nextInt(1, 5);
      int max = min + random.nextInt(0, 10);
      ClusterJob.Servers servers =
          random.nextInt(3) == 0
              ? new ClusterJob.Servers(1, random.nextInt(1, 5), 0, anySize(0))
              : null;
      jobs.add(
          new ClusterJob(
              new JobId("default", "job-" + names++),
              min,
              max,
              0,
              anySize(random.nextInt(0, 5)),
              servers,
              0));
    }

    private PodSize anySize(int gpus) {
      PodAmounts requests =
          new PodAmounts(random.nextInt(1, 80) / 10.0, random.nextInt(10, 8_000), gpus);
      return new PodSize(
          requests,
          random.nextBoolean()
              ? requests
              : new PodAmounts(requests.cpu() * 2, requests.memoryMib() * 2, gpus));
    }

    /// Rounds until nothing changes: few, and no size comes back while the scheduler, which packs
    /// pods in its own way, has bound none.
    private void settle(String when) {
      List<List<Integer>> seen = new ArrayList<>();
      for (int round = 0; ; round++) {
        ClusterSnapshot snapshot = new ClusterSnapshot(now, nodes, pods, jobs);
        List<JobAllocation> allocations = policy.allocate(snapshot);
        assertThat(policy.allocate(snapshot)).as(when).isEqualTo(allocations);
        check(allocations, when + ", round " + round);
        List<Integer> sizes = allocations.stream().map(JobAllocation::trainers).toList();
        boolean changed = apply(allocations);
        boolean bound = schedule();
        if (!changed && !bound) {
          break;
        }
        if (bound) {
          seen.clear();
        } else {
          assertThat(seen).as(when).doesNotContain(sizes);
        }
        seen.add(sizes);
        assertThat(round).as(when).isLessThan(20);
        now += 60_000;
      }
    }

    private void check(List<JobAllocation> allocations, String when) {
      assertThat(allocations).as(when).hasSameSizeAs(jobs);
      for (int i = 0; i < jobs.size(); i++) {
        ClusterJob job = jobs.get(i);
        JobAllocation allocation = allocations.get(i);
        assertThat(allocation.job()).isEqualTo(job.id());
        assertThat(allocation.trainers())
            .as("%s: %s", when, job)
            .isLessThanOrEqualTo(Math.max(job.max(), job.trainers()));
        if (allocation.trainers() < job.trainers()) {
          assertThat(allocation.trainers())
              .as("%s: %s", when, job)
              .isGreaterThanOrEqualTo(job.min());
        }
        if (allocation.state() == State.KEPT || allocation.state() == State.CHANGED) {
          assertThat(allocation.trainers())
              .as("%s: %s", when, job)
              .isGreaterThanOrEqualTo(job.min());
        }
        // Where some of its trainers run, others give only if all their pods run.
        boolean waits = allocation.state() == State.WAITS || allocation.state() == State.OPTIMISTIC;
        if (waits && bound(job, Kind.TRAINER) == 0 && othersHaveTheirMinimum(job)) {
          assertThat(couldRun(job, allocations))
              .as("%s: %s is below its minimum while others are above theirs", when, job)
              .isFalse();
        }
      }
    }

    /// Where the pods of others still have to be placed, it depends on how they are packed.
    private boolean othersHaveTheirMinimum(ClusterJob waiting) {
      return jobs.stream()
          .filter(job -> !job.id().equals(waiting.id()))
          .allMatch(job ->
              bound(job, Kind.TRAINER) >= job.min()
                  && bound(job, Kind.SERVER) >= job.serversFor(job.min()));
    }

    private long bound(ClusterJob job, Kind kind) {
      return pods.stream()
          .filter(pod -> job.id().equals(pod.job()) && pod.kind() == kind && pod.node() != null)
          .count();
    }

    /// Whether the job would get its minimum if every other job that may shrink had its own.
    private boolean couldRun(ClusterJob waiting, List<JobAllocation> allocations) {
      // A job alone with the others' minima, placed in the same order.
      List<ClusterPod> least = new ArrayList<>();
      Map<JobId, Integer> kept = new HashMap<>();
      for (ClusterPod pod : pods) {
        ClusterJob job = job(pod.job());
        if (job == null || job.id().equals(waiting.id())) {
          least.add(pod);
          continue;
        }
        int most = pod.kind() == Kind.TRAINER ? job.min() : job.serversFor(job.min());
        String key = pod.kind() + " of " + job.id();
        int number =
            kept.merge(
                new JobId("default", key.replace(' ', '-').replace('/', '-')), 1, Integer::sum);
        if (number <= most) {
          least.add(pod);
        }
      }
      List<ClusterJob> small = new ArrayList<>();
      for (int i = 0; i < jobs.size(); i++) {
        ClusterJob job = jobs.get(i);
        boolean below =
            allocations.get(i).state() != State.KEPT && allocations.get(i).state() != State.CHANGED;
        if (!below) {
          small.add(
              new ClusterJob(
                  job.id(), job.min(), job.min(), job.min(), job.trainer(), fixed(job), 0));
        } else if (job.id().equals(waiting.id())) {
          small.add(
              new ClusterJob(
                  job.id(), job.min(), job.min(), job.trainers(), job.trainer(), job.servers(), 0));
        }
      }
      return policy.allocate(new ClusterSnapshot(now, nodes, least, small)).stream()
          .filter(each -> each.job().equals(waiting.id()))
          .anyMatch(each -> each.state() == State.KEPT || each.state() == State.CHANGED);
    }

    private static ClusterJob.@Nullable Servers fixed(ClusterJob job) {
      ClusterJob.Servers servers = job.servers();
      int count = job.serversFor(job.min());
      return servers == null
          ? null
          : new ClusterJob.Servers(servers.min(), servers.max(), count, servers.each());
    }

    private @Nullable ClusterJob job(@Nullable JobId id) {
      return jobs.stream().filter(each -> each.id().equals(id)).findFirst().orElse(null);
    }

    /// Returns whether anything changed.
    private boolean apply(List<JobAllocation> allocations) {
      boolean changed = false;
      for (int i = 0; i < jobs.size(); i++) {
        ClusterJob job = jobs.get(i);
        JobAllocation allocation = allocations.get(i);
        ClusterJob.Servers servers = job.servers();
        ClusterJob after =
            new ClusterJob(
                job.id(),
                job.min(),
                job.max(),
                allocation.trainers(),
                job.trainer(),
                servers == null
                    ? null
                    : new ClusterJob.Servers(
                        servers.min(), servers.max(), allocation.servers(), servers.each()),
                now);
        changed |= after.trainers() != job.trainers() || !equalServers(after, job);
        jobs.set(i, after);
      }
      return changed;
    }

    private static boolean equalServers(ClusterJob a, ClusterJob b) {
      ClusterJob.Servers x = a.servers();
      ClusterJob.Servers y = b.servers();
      return x == null || y == null || x.now() == y.now();
    }

    /// Makes and ends pods, and binds those that fit by their requests. Returns whether one was
    /// bound.
    private boolean schedule() {
      List<ClusterPod> next = new ArrayList<>();
      for (ClusterJob job : jobs) {
        next.addAll(podsOf(job, Kind.TRAINER, job.trainers(), job.trainer()));
        ClusterJob.Servers servers = job.servers();
        if (servers != null) {
          next.addAll(podsOf(job, Kind.SERVER, servers.now(), servers.each()));
        }
      }
      Map<String, PodAmounts> used = new HashMap<>();
      for (ClusterPod pod : next) {
        if (pod.node() != null) {
          used.merge(pod.node(), pod.size().requests(), PodAmounts::plus);
        }
      }
      boolean bound = false;
      for (int i = 0; i < next.size(); i++) {
        ClusterPod pod = next.get(i);
        ClusterNode node = pod.node() == null ? fit(pod, used) : null;
        if (node != null) {
          bound = true;
          used.merge(node.name(), pod.size().requests(), PodAmounts::plus);
          next.set(
              i,
              new ClusterPod(
                  pod.name(), node.name(), Phase.RUNNING, pod.size(), pod.job(), pod.kind()));
        }
      }
      pods = next;
      return bound;
    }

    private List<ClusterPod> podsOf(ClusterJob job, Kind kind, int count, PodSize size) {
      List<ClusterPod> all =
          new ArrayList<>(
              pods.stream()
                  .filter(pod -> job.id().equals(pod.job()) && pod.kind() == kind)
                  .limit(count)
                  .toList());
      while (all.size() < count) {
        all.add(new ClusterPod("pod-" + names++, null, Phase.PENDING, size, job.id(), kind));
      }
      return all;
    }

    private @Nullable ClusterNode fit(ClusterPod pod, Map<String, PodAmounts> used) {
      for (ClusterNode node : nodes) {
        PodAmounts then =
            used.getOrDefault(node.name(), PodAmounts.NONE).plus(pod.size().requests());
        if (node.schedulable()
            && then.cpu() <= node.capacity().cpu() + 1e-9
            && then.memoryMib() <= node.capacity().memoryMib()
            && then.gpus() <= node.capacity().gpus()) {
          return node;
        }
      }
      return null;
    }
  }
}
