package dev.pliant.benchmarks;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// How long a job is without a master after its master is killed -9 in the middle of a training,
/// and what that does to the training: no process starts again, no step waits.
final class MasterFailover implements Measure {
  private static final Duration BOUND = Duration.ofMinutes(2);
  private static final Duration LOOK = Duration.ofMillis(5);

  @Override
  public String name() {
    return "failover";
  }

  @Override
  public String what() {
    return "from kill -9 of the master to the next one that serves, while a training runs";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var seconds = new ArrayList<Double>();
    var groups = new ArrayList<Double>();
    try (PliantJob job = PliantJob.start(bench, 2, 2)) {
      TrainingTrace trace = job.trace();
      trace.await("a step of two", step -> step.size() == 2, BOUND, job.run());
      job.ping(); // Whoever asks is warm.
      for (int round = 1; round <= bench.plan().starts(); round++) {
        double killed = TrainingTrace.now();
        seconds.add(failover(job));
        trace.await("a step after the failover", step -> step.at() > killed + 2, BOUND, job.run());
        bench.say("failover %d: %.2f s", round, seconds.getLast());
      }
      groups.add(
          (double) trace.steps().stream().map(TrainingTrace.Step::group).distinct().count() - 1);
    }
    return List.of(
        Row.of(
            "failover",
            "kill -9 to the next master",
            "s",
            new Series(seconds),
            new Bar.ValueAtMost(2)),
        Row.of(
            "failover",
            "groups formed anew by it",
            "",
            new Series(groups),
            new Bar.ValueAtMost(0)));
  }

  /// A master says where it is once it serves.
  private static double failover(PliantJob job) throws IOException, InterruptedException {
    JsonNode before = job.master();
    long began = System.nanoTime();
    ProcessHandle.of(before.get("pid").asLong()).orElseThrow().destroyForcibly();
    while (epoch(job) <= before.get("epoch").asLong()) {
      job.run().checkAlive();
      if (System.nanoTime() - began > BOUND.toNanos()) {
        throw new IOException("no master took over within %d s".formatted(BOUND.toSeconds()));
      }
      TimeUnit.MILLISECONDS.sleep(LOOK.toMillis());
    }
    job.ping();
    return (System.nanoTime() - began) / 1e9;
  }

  private static long epoch(PliantJob job) throws IOException {
    return job.master().get("epoch").asLong();
  }
}
