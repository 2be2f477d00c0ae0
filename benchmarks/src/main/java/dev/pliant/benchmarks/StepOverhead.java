package dev.pliant.benchmarks;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/// What a step costs under Pliant beside the same step of plain DDP, with two members on each side.
final class StepOverhead implements Measure {
  private static final Duration BOUND = Duration.ofMinutes(5);

  /// Steps before the measured ones, and how many are measured.
  private static final int WARM_UP = 400;

  private static final int MEASURED = 800;

  /// Two runs of the same training differ by more than what is measured here.
  private static final int LEAST_ROUNDS = 3;

  @Override
  public String name() {
    return "overhead";
  }

  @Override
  public String what() {
    return "steps a second with two members, beside plain DDP";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var ours = new ArrayList<Double>();
    var plain = new ArrayList<Double>();
    var views = new ArrayList<Double>();
    int rounds = Math.max(LEAST_ROUNDS, bench.plan().trainings());
    for (int round = 1; round <= rounds; round++) {
      ours.add(pliant(bench));
      plain.add(plain(bench, false));
      views.add(plain(bench, true));
      bench.say(
          "training %d: %.1f steps/s, plain DDP %.1f steps/s, with gradients as views %.1f",
          round, ours.getLast(), plain.getLast(), views.getLast());
    }
    return List.of(
        Row.of(
                "overhead",
                "steps of two members",
                "steps/s",
                new Series(ours),
                new Bar.RatioAtLeast(0.97))
            .beside("plain DDP", new Series(plain)),
        Row.of("overhead", "steps of two members", "steps/s", new Series(ours), Bar.none())
            .beside("DDP, gradients as views", new Series(views)));
  }

  private static double pliant(Bench bench) throws IOException, InterruptedException {
    try (PliantJob job = PliantJob.start(bench, 2, 2)) {
      return rate(job.trace(), job.run());
    }
  }

  private static double plain(Bench bench, boolean views) throws IOException, InterruptedException {
    try (TorchrunAgents agents = new TorchrunAgents(bench)) {
      Child host = agents.add("2", false, views);
      var _ = agents.add("2", false, views);
      return rate(agents.trace(), host);
    }
  }

  private static double rate(TrainingTrace trace, Child alive)
      throws IOException, InterruptedException {
    trace.awaitNumber(WARM_UP + MEASURED, BOUND, alive);
    return trace.rate(MEASURED);
  }
}
