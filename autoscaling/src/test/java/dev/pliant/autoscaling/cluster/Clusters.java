package dev.pliant.autoscaling.cluster;

import dev.pliant.autoscaling.cluster.ClusterPod.Kind;
import dev.pliant.autoscaling.cluster.ClusterPod.Phase;
import dev.pliant.model.JobId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Clusters for tests.
final class Clusters {
  static final long NOW = 1_000_000_000;

  final List<ClusterNode> nodes = new ArrayList<>();
  final List<ClusterPod> pods = new ArrayList<>();
  final List<ClusterJob> jobs = new ArrayList<>();

  static JobId id(String name) {
    return new JobId("default", name);
  }

  /// Nodes of that size.
  static Clusters of(int count, double cpu, double memoryMib, int gpus) {
    Clusters cluster = new Clusters();
    for (int i = 0; i < count; i++) {
      cluster.nodes.add(new ClusterNode("node-" + i, new PodAmounts(cpu, memoryMib, gpus), true));
    }
    return cluster;
  }

  /// A job whose trainers run on these nodes.
  Clusters running(String name, int min, int max, PodSize size, int... on) {
    for (int i = 0; i < on.length; i++) {
      pod(name + "-" + i, "node-" + on[i], Phase.RUNNING, size, name, Kind.TRAINER);
    }
    return job(name, min, max, on.length, size, null);
  }

  /// A job that has not started.
  Clusters waiting(String name, int min, int max, PodSize size) {
    return job(name, min, max, 0, size, null);
  }

  Clusters job(
      String name,
      int min,
      int max,
      int trainers,
      PodSize size,
      ClusterJob.@Nullable Servers servers) {
    jobs.add(new ClusterJob(id(name), min, max, trainers, size, servers, 0));
    return this;
  }

  Clusters pod(
      String name,
      @Nullable String node,
      Phase phase,
      PodSize size,
      @Nullable String job,
      Kind kind) {
    pods.add(new ClusterPod(name, node, phase, size, job == null ? null : id(job), kind));
    return this;
  }

  ClusterSnapshot snapshot() {
    return new ClusterSnapshot(NOW, nodes, pods, jobs);
  }

  List<JobAllocation> allocate() {
    return allocate(FulfilmentSettings.DEFAULT);
  }

  List<JobAllocation> allocate(FulfilmentSettings settings) {
    return new FulfilmentPolicy(settings).allocate(snapshot());
  }

  List<Integer> sizes() {
    return allocate().stream().map(JobAllocation::trainers).toList();
  }
}
