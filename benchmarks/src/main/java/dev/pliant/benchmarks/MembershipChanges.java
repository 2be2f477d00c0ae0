package dev.pliant.benchmarks;

import dev.pliant.benchmarks.TrainingTrace.Pause;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/// What it costs a training when a member joins, is killed, is taken away: how long no step is
/// completed, and how many steps must be trained again. Beside torchrun, with the same torch and
/// the same network; a member is an agent with one training process, on both sides.
final class MembershipChanges implements Measure {
  private static final Duration BOUND = Duration.ofMinutes(3);

  /// So that every change meets a training that runs evenly.
  private static final Duration SETTLE = Duration.ofSeconds(4);

  /// The three changes of one training, in this order.
  private record Costs(Pause join, Pause kill, Pause shrink) {}

  @Override
  public String name() {
    return "change";
  }

  @Override
  public String what() {
    return "a member joins, is killed -9, is taken away: pause and steps lost, beside torchrun";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var ours = new ArrayList<Costs>();
    var theirs = new ArrayList<Costs>();
    for (int round = 1; round <= bench.plan().trainings(); round++) {
      ours.add(pliant(bench));
      say(bench, round, "Pliant", ours.getLast());
      theirs.add(torchrun(bench));
      say(bench, round, TorchrunAgents.NAME, theirs.getLast());
    }
    return List.of(
        row(
            "a member joins",
            pauses(ours, Change.JOIN),
            pauses(theirs, Change.JOIN),
            6,
            ours,
            theirs,
            Change.JOIN),
        row(
            "a member is killed -9",
            pauses(ours, Change.KILL),
            pauses(theirs, Change.KILL),
            10,
            ours,
            theirs,
            Change.KILL),
        Row.of(
            "change",
            "pause after kill -9",
            "s",
            pauses(ours, Change.KILL),
            new Bar.ValueAtMost(0.5)),
        row(
            "a member is taken away",
            pauses(ours, Change.SHRINK),
            pauses(theirs, Change.SHRINK),
            0,
            ours,
            theirs,
            Change.SHRINK),
        Row.of("change", "steps lost over all changes", "steps", lost(ours), new Bar.ValueAtMost(0))
            .beside(TorchrunAgents.NAME, lost(theirs)));
  }

  private enum Change {
    JOIN,
    KILL,
    SHRINK;

    Pause of(Costs costs) {
      return switch (this) {
        case JOIN -> costs.join();
        case KILL -> costs.kill();
        case SHRINK -> costs.shrink();
      };
    }
  }

  private static Series pauses(List<Costs> costs, Change change) {
    return new Series(costs.stream().map(each -> change.of(each).seconds()).toList());
  }

  private static Series lost(List<Costs> costs) {
    return new Series(
        costs.stream()
            .map(each ->
                (double)
                    (each.join().stepsLost() + each.kill().stepsLost() + each.shrink().stepsLost()))
            .toList());
  }

  /// How many times as long the peer stands still.
  private static Row row(
      String name,
      Series ours,
      Series theirs,
      double atLeast,
      List<Costs> ourCosts,
      List<Costs> theirCosts,
      Change change) {
    // The ratio is of speeds, so that a higher one is better, as everywhere in the table.
    Series speed = perMinute(ours);
    return Row.of(
            "change",
            name,
            "changes a minute of standstill",
            speed,
            atLeast > 0 ? new Bar.RatioAtLeast(atLeast) : Bar.none())
        .beside(TorchrunAgents.NAME, perMinute(theirs))
        .with("pause_s", ours.values())
        .with("peer_pause_s", theirs.values())
        .with("steps_lost", ourCosts.stream().map(each -> change.of(each).stepsLost()).toList())
        .with(
            "peer_steps_lost",
            theirCosts.stream().map(each -> change.of(each).stepsLost()).toList());
  }

  private static Series perMinute(Series seconds) {
    return new Series(seconds.values().stream().map(each -> 60 / each).toList());
  }

  private static Costs pliant(Bench bench) throws IOException, InterruptedException {
    try (PliantJob job = PliantJob.start(bench, 2, 4)) {
      TrainingTrace trace = job.trace();
      trace.await("a step of two", step -> step.size() == 2, BOUND, job.run());
      settle();
      double joined = TrainingTrace.now();
      job.scale(3);
      Pause join = trace.awaitPause(joined, BOUND, job.run());
      settle();
      double killed = TrainingTrace.now();
      Child.killTree(job.agent("worker-1"));
      Pause kill = trace.awaitPause(killed, BOUND, job.run());
      // The killed one is replaced by itself; the next change begins with three again.
      trace.await(
          "a step of three again",
          step -> step.at() > killed + kill.seconds() && step.size() == 3,
          BOUND,
          job.run());
      settle();
      double shrunk = TrainingTrace.now();
      job.scale(2);
      Pause shrink = trace.awaitPause(shrunk, BOUND, job.run());
      return new Costs(join, kill, shrink);
    }
  }

  private static Costs torchrun(Bench bench) throws IOException, InterruptedException {
    try (TorchrunAgents agents = new TorchrunAgents(bench)) {
      TrainingTrace trace = agents.trace();
      Child host = agents.add("1:4", true);
      Child second = agents.add("1:4", true);
      trace.await("a step of two", step -> step.size() == 2, BOUND, host);
      settle();
      double joined = TrainingTrace.now();
      Child third = agents.add("1:4", true);
      Pause join = trace.awaitPause(joined, BOUND, host);
      trace.await("a step of three", step -> step.size() == 3, BOUND, host);
      settle();
      double killed = TrainingTrace.now();
      second.killTree();
      Pause kill = trace.awaitPause(killed, BOUND, host);
      settle();
      double shrunk = TrainingTrace.now();
      third.terminate();
      Pause shrink = trace.awaitPause(shrunk, BOUND, host);
      return new Costs(join, kill, shrink);
    }
  }

  private static void settle() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(SETTLE.toMillis());
  }

  private static void say(Bench bench, int round, String who, Costs costs) {
    bench.say(
        "training %d, %s: join %.2f s, kill -9 %.2f s, taken away %.2f s; steps lost %d, %d, %d",
        round,
        who,
        costs.join().seconds(),
        costs.kill().seconds(),
        costs.shrink().seconds(),
        costs.join().stepsLost(),
        costs.kill().stepsLost(),
        costs.shrink().stepsLost());
  }
}
