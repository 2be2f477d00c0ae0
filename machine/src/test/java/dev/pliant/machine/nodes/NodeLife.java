package dev.pliant.machine.nodes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.Elasticity;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodeResources;
import dev.pliant.model.ResourceLimits;
import dev.pliant.model.Strategy;
import dev.pliant.model.decision.Choice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/// Lives the life of a job's nodes in a test: carries decisions out as the owner does, with a clock
/// of its own.
final class NodeLife {
  final List<NodeEvent> events = new ArrayList<>();
  final List<Long> times = new ArrayList<>();
  final List<Choice> decisions = new ArrayList<>();
  NodeTable table = new NodeTable();
  long now = 1_000_000;

  static JobPlan plan(Strategy strategy, int wish, int min, int max, NodeResources resources) {
    return plan(2, strategy, wish, min, max, 3, resources);
  }

  static JobPlan plan(
      long run,
      Strategy strategy,
      int wish,
      int min,
      int max,
      int restarts,
      NodeResources resources) {
    return new JobPlan(
        new JobId("default", "life"),
        run,
        strategy,
        strategy == Strategy.LOCAL ? Elasticity.NONE : Elasticity.IN_PROCESS,
        new JobPlan.Workers(wish, min, max, restarts, resources),
        1,
        List.of("true"),
        Map.of(),
        "/",
        null,
        "",
        1_000,
        List.of());
  }

  /// The same with other roles beside its workers.
  static JobPlan with(JobPlan plan, JobPlan.RolePlan... others) {
    return new JobPlan(
        plan.job(),
        plan.run(),
        plan.strategy(),
        plan.elasticity(),
        plan.workers(),
        plan.nprocPerNode(),
        plan.command(),
        plan.environment(),
        plan.workingFolder(),
        plan.checkpoint(),
        plan.pythonPackage(),
        plan.lastCallMillis(),
        List.of(others),
        plan.limits(),
        plan.uid());
  }

  /// The same with limits for all nodes together.
  static JobPlan within(ResourceLimits limits, JobPlan plan) {
    return new JobPlan(
        plan.job(),
        plan.run(),
        plan.strategy(),
        plan.elasticity(),
        plan.workers(),
        plan.nprocPerNode(),
        plan.command(),
        plan.environment(),
        plan.workingFolder(),
        plan.checkpoint(),
        plan.pythonPackage(),
        plan.lastCallMillis(),
        plan.others(),
        limits,
        plan.uid());
  }

  static NodeLife of(JobPlan plan) {
    NodeLife life = new NodeLife();
    life.apply(JobOrders.define(life.table, plan));
    return life;
  }

  /// A group of workers without limits.
  static NodeLife group(int wish, int min, int max) {
    return of(plan(Strategy.ALLREDUCE, wish, min, max, NodeResources.UNBOUNDED));
  }

  static NodeId worker(int number) {
    return new NodeId(NodeId.WORKER, number);
  }

  /// Records what was decided, and all that follows.
  void apply(List<NodeDecision> decided) {
    decided.forEach(this::record);
    int most = 1_000 + 4 * (table.nodes().size() + table.relaunches().size());
    for (int round = 0; round < most; round++) {
      List<NodeDecision> next = WorkerManager.next(table, now);
      if (next.isEmpty()) {
        table.settle(WorkerManager.nextDeadlineMillis(table));
        return;
      }
      next.forEach(this::record);
    }
    throw new AssertionError("what follows has no end: " + events);
  }

  private void record(NodeDecision decision) {
    for (NodeEvent event : decision.events()) {
      events.add(event);
      times.add(now);
      table.apply(event, now);
    }
    if (decision.choice() != null) {
      decisions.add(decision.choice());
    } else {
      assertThat(decision.events())
          .as("every node that comes or goes has a decision")
          .noneMatch(event ->
              event instanceof NodeEvent.NodeAdded
                  || event instanceof NodeEvent.NodesReleased
                  || event instanceof NodeEvent.RelaunchPlanned
                  || event instanceof NodeEvent.PhaseChanged);
    }
  }

  void pass(long millis) {
    now += millis;
    apply(List.of());
  }

  void runs(int... numbers) {
    for (int number : numbers) {
      apply(NodeObserver.observe(table, new NodeNews.Running(worker(number))));
    }
  }

  void ends(int number, int code) {
    apply(
        NodeObserver.observe(
            table, new NodeNews.Ended(worker(number), code, false, null, "code " + code)));
  }

  void ends(int number, ExitReason reason) {
    apply(
        NodeObserver.observe(
            table, new NodeNews.Ended(worker(number), 1, false, reason, "it said so")));
  }

  void runsOutOfMemory(int number) {
    apply(NodeObserver.observe(table, new NodeNews.Ended(worker(number), 137, true, null, "")));
  }

  void lacksRoom(int number) {
    hears(new NodeNews.Pending(worker(number), "Unschedulable: Insufficient cpu", true));
  }

  void scale(int workers) {
    apply(JobOrders.scale(table, workers, "a test").decisions());
  }

  void rest() {
    apply(RestOrders.rest(table, new Rest(true, 0)));
  }

  void goOn() {
    apply(RestOrders.rest(table, Rest.NONE));
  }

  Wish.Taken wish(Wish wish) {
    WishOrders.Outcome outcome = WishOrders.take(table, wish);
    apply(outcome.decisions());
    return outcome.taken();
  }

  void hears(NodeNews news) {
    apply(NodeObserver.observe(table, news));
  }

  Node node(int number) {
    return Objects.requireNonNull(table.node(worker(number)), "worker-" + number);
  }

  List<String> staying() {
    return table.nodes().stream().filter(Node::staying).map(n -> n.id().toString()).toList();
  }

  Choice lastDecision() {
    assertThat(decisions).isNotEmpty();
    return decisions.getLast();
  }
}
