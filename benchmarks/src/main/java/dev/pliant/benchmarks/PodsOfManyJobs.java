package dev.pliant.benchmarks;

import java.util.ArrayList;
import java.util.List;

/// What a thousand jobs at once cost the operator. Nodes are simulated, plans are written as
/// masters would.
final class PodsOfManyJobs implements Measure {
  private static final int JOBS = 1_000;
  private static final int JOBS_IN_SHORT = 200;
  private static final int WORKERS = 10;

  @Override
  public String name() {
    return "pods-many";
  }

  @Override
  public String what() {
    return "the pods of a thousand jobs, and what they cost the operator";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    int jobs = bench.plan().full() ? JOBS : JOBS_IN_SHORT;
    try (Cluster cluster = Cluster.ready(bench)) {
      cluster.run("simulate", Integer.toString(PodsAtScale.NODES));
      try (ClusterSpace space = ClusterSpace.make(cluster.client(), "pods-many")) {
        return run(bench, new OperatorWave(space, jobs, WORKERS));
      } finally {
        cluster.run("simulate", "0");
      }
    }
  }

  private static List<Row> run(Bench bench, OperatorWave wave) throws Exception {
    var memories = new ArrayList<OperatorWave.Memory>();
    var lists = new ArrayList<Double>();
    WaveSpeeds speeds =
        wave.run(() -> {
          wave.awaitJobsRunning();
          memories.add(OperatorWave.operatorMegabytes());
          lists.addAll(wave.listSeconds());
          bench.say(
              "all run: operator %.0f MB, list %.2f s", memories.getLast().now(), lists.getLast());
        });
    wave.deleteJobs();
    double most = OperatorWave.operatorMegabytes().most();
    String what = "%,d jobs of %,d workers".formatted(wave.jobs(), wave.workers());
    return List.of(
        Row.of("pods-many", what + ", up", "pods/s", Series.of(speeds.up()), Bar.none()),
        Row.of("pods-many", what + ", down", "pods/s", Series.of(speeds.down()), Bar.none()),
        Row.of(
            "pods-many",
            what + ": the operator's memory",
            "MB",
            Series.of(memories.getLast().now()),
            new Bar.ValueAtMost(300)),
        Row.of("pods-many", what + ": the same at its highest", "MB", Series.of(most), Bar.none()),
        Row.of(
            "pods-many",
            "a list of %,d pods, as the operator reads it".formatted(wave.jobs() * wave.workers()),
            "s",
            Series.of(lists.getLast()),
            new Bar.ValueAtMost(2)),
        Row.of("pods-many", "the same, read first", "s", Series.of(lists.getFirst()), Bar.none()));
  }
}
