package dev.pliant.benchmarks;

import dev.pliant.benchmarks.PodTraining.Moments;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/// How long it takes on real pods from a changed worker count to the first step of the new world,
/// and whose time that is: Kubernetes' own for the start of a pod, the framework's, or ours.
final class PodsChange implements Measure {
  /// So that every change meets a training that runs evenly, and a cluster at rest.
  private static final Duration SETTLE = Duration.ofSeconds(3);

  /// One change, in seconds. The first six parts follow each other and are the whole.
  ///
  /// @param toPod from the request until there is a pod
  /// @param podStart from there until the first process of its container, the agent, was made
  /// @param agent from there until it has started the training process
  /// @param framework from there until Python, torch and the script have all they need but Pliant
  /// @param preparing from there until it waits for a world
  /// @param joining from there to the first step of the new world
  /// @param plain the start of a plain pod like it
  /// @param bare the start of one without an init container
  private record Change(
      double toPod,
      double podStart,
      double agent,
      double framework,
      double preparing,
      double joining,
      double plain,
      double bare) {
    double ours() {
      return toPod + agent + preparing + joining;
    }

    double whole() {
      return ours() + podStart + framework;
    }

    /// What the whole is beyond a plain pod's start: ours, and how the two pods' luck differs.
    double beyondPlain() {
      return whole() - plain - framework;
    }

    double initContainer() {
      return plain - bare;
    }
  }

  @Override
  public String name() {
    return "pods-change";
  }

  @Override
  public String what() {
    return "from a changed worker count to the first step of the new world, on real pods";
  }

  @Override
  public List<Row> run(Bench bench) throws Exception {
    var changes = new ArrayList<Change>();
    try (Cluster cluster = Cluster.ready(bench);
        PodTraining training = PodTraining.start(bench, cluster)) {
      var _ = training.awaitStep(1, 0);
      for (int round = 1; round <= bench.plan().starts(); round++) {
        changes.add(change(training, round));
        say(bench, round, changes.getLast());
      }
    }
    return rows(changes);
  }

  private static Change change(PodTraining training, int round)
      throws IOException, InterruptedException {
    var plainPod = new PlainPod(training);
    settle();
    double bare = plainPod.start("bare-" + round, false);
    settle();
    double plain = plainPod.start("plain-" + round, true);
    settle();
    double wished = TrainingTrace.now();
    training.scale(2);
    double step = training.awaitStep(2, wished);
    List<String> pods = training.times().since(wished);
    if (pods.size() != 1) {
      throw new IOException("one worker more made other pods than one: " + pods);
    }
    Moments moments = training.awaitMoments(pods.getFirst());
    double made = training.times().made(pods.getFirst());
    settle();
    double shrunk = TrainingTrace.now();
    training.scale(1);
    var _ = training.awaitStep(1, shrunk);
    training.awaitPods(1);
    return new Change(
        made - wished,
        moments.agent() - made,
        moments.process() - moments.agent(),
        moments.ready() - moments.process(),
        moments.waits() - moments.ready(),
        step - moments.waits(),
        plain,
        bare);
  }

  private static List<Row> rows(List<Change> changes) {
    return List.of(
        row("one worker more, to the first step of two", changes, Change::whole, Bar.none()),
        row("  Kubernetes: the start of its pod", changes, Change::podStart, Bar.none())
            .beside("a plain pod", new Series(values(changes, Change::plain))),
        row("    the init container in it", changes, Change::initContainer, Bar.none()),
        row("  the framework: Python, torch, data", changes, Change::framework, Bar.none()),
        row("  ours", changes, Change::ours, new Bar.ValueAtMost(1))
            .with("to_pod_s", values(changes, Change::toPod))
            .with("agent_s", values(changes, Change::agent))
            .with("preparing_s", values(changes, Change::preparing))
            .with("joining_s", values(changes, Change::joining))
            .with("whole_beyond_plain_pod_and_framework_s", values(changes, Change::beyondPlain)));
  }

  private static Row row(
      String name, List<Change> changes, ToDoubleFunction<Change> part, Bar bar) {
    return Row.of("pods-change", name, "s", new Series(values(changes, part)), bar);
  }

  private static List<Double> values(List<Change> changes, ToDoubleFunction<Change> part) {
    return changes.stream().map(part::applyAsDouble).toList();
  }

  private static void settle() throws InterruptedException {
    TimeUnit.MILLISECONDS.sleep(SETTLE.toMillis());
  }

  private static void say(Bench bench, int round, Change change) {
    bench.say(
        "change %d: %.2f s: to the pod %.2f, its start %.2f (plain %.2f, without init container"
            + " %.2f), agent %.2f, framework %.2f, preparing %.2f, joining %.2f; ours %.2f",
        round,
        change.whole(),
        change.toPod(),
        change.podStart(),
        change.plain(),
        change.bare(),
        change.agent(),
        change.framework(),
        change.preparing(),
        change.joining(),
        change.ours());
  }
}
