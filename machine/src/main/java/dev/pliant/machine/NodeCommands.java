package dev.pliant.machine;

import dev.pliant.machine.JobMachine.Decided;
import dev.pliant.machine.JobState.Dataset;
import dev.pliant.machine.nodes.JobOrders;
import dev.pliant.machine.nodes.NodeDecision;
import dev.pliant.machine.nodes.NodeEvent;
import dev.pliant.machine.nodes.NodeObserver;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.nodes.WishOrders;
import dev.pliant.machine.rendezvous.Meeting;
import dev.pliant.machine.rendezvous.Rendezvous;
import dev.pliant.machine.rendezvous.RendezvousEvent;
import dev.pliant.machine.rendezvous.RendezvousRules;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.ShardLedger;
import dev.pliant.model.JobPlan;
import dev.pliant.model.NodeId;
import dev.pliant.model.Strategy;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Input;
import dev.pliant.model.decision.InputName;
import dev.pliant.model.decision.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/// What commands about nodes come to, and what nodes mean for the rest of the machine.
final class NodeCommands {
  private NodeCommands() {}

  static Decided define(JobState state, JobPlan plan, long nowMillis) {
    List<NodeDecision> decisions = JobOrders.define(state.nodes(), plan);
    NextEvents events = new NextEvents(state, nowMillis);
    events.decide(decisions);
    boolean anew =
        decisions.stream()
            .flatMap(decision -> decision.events().stream())
            .anyMatch(event -> event instanceof NodeEvent.JobDefined defined && defined.anew());
    if (anew && state.rendezvous().meeting().ending() != null) {
      events.add(new Event.Met(new RendezvousEvent.Reopened()));
    }
    return new Decided(events.list(), new Answer.Done());
  }

  static Decided scale(JobState state, int workers, String who, long nowMillis) {
    JobOrders.Scaling scaling = JobOrders.scale(state.nodes(), workers, who);
    JobPlan.Workers bounds = state.nodes().plan().workers();
    return decided(
        state,
        scaling.decisions(),
        nowMillis,
        new Answer.Scaled(scaling.wish(), bounds.min(), bounds.max(), scaling.message()));
  }

  static NodeId nodeOf(JobState state, WorkerId worker) {
    String name = worker.value();
    return NodeId.parse(
        state.nodes().plan().nprocPerNode() == 1 ? name : name.substring(0, name.lastIndexOf('-')));
  }

  /// How groups are formed, where the job's nodes say it: as many as are wished, in whole nodes.
  static List<RendezvousEvent> rules(JobState state) {
    if (!state.nodes().defined() || state.nodes().plan().strategy() == Strategy.LOCAL) {
      return List.of();
    }
    JobPlan plan = state.nodes().plan();
    RendezvousRules now = state.rendezvous().rules();
    return Rendezvous.setRules(
        state.rendezvous(),
        RendezvousRules.of(plan)
            .withWished(state.nodes().wish() * plan.nprocPerNode())
            .withPatience(now.abortAfter(), now.leaveOutAfter(), now.belowMinFor()));
  }

  /// What ends a job whatever its nodes do: a dataset that failed for good, a group that was given
  /// up.
  static List<NodeDecision> failFromOutside(JobState state) {
    if (!state.nodes().defined() || !state.nodes().phase().wantsNodes()) {
      return List.of();
    }
    Meeting.Ending ending = state.rendezvous().meeting().ending();
    if (ending != null && !ending.complete()) {
      return JobOrders.fail(
          state.nodes(),
          Rule.GROUP_GIVEN_UP,
          List.of(Input.count(InputName.WORLD, state.rendezvous().version())),
          ending.why());
    }
    for (Dataset dataset : state.datasets()) {
      if (dataset instanceof Dataset.ByShards(int _, ShardLedger ledger)
          && ledger.failure() != null) {
        return failed(state, ledger, ledger.failure());
      }
    }
    return List.of();
  }

  private static List<NodeDecision> failed(JobState state, ShardLedger ledger, Failure failure) {
    return JobOrders.fail(
        state.nodes(),
        Rule.DATASET_FAILED,
        List.of(
            Input.name(InputName.DATASET, ledger.spec().name().value()),
            Input.count(InputName.SHARD, failure.shard()),
            Input.name(InputName.WORKER, failure.worker()),
            Input.text(InputName.CAUSE, failure.cause())),
        "shard %d of dataset '%s' failed for good, last with worker %s: %s"
            .formatted(failure.shard(), ledger.spec().name(), failure.worker(), failure.cause()));
  }

  static Decided check(JobState state, Command.CheckNode command, long nowMillis) {
    Silence silence = command.silence();
    if (!silence.exceeds(command.limits())) {
      return new Decided(List.of(), new Answer.SilenceChecked(Silence.Verdict.WAIT));
    }
    String message =
        "no heartbeat from the agent of node %s for %d s"
            .formatted(command.node(), command.limits().of(silence) / 1_000);
    List<NodeDecision> lost = NodeObserver.lose(state.nodes(), command.node(), message);
    return decided(
        state,
        lost,
        nowMillis,
        new Answer.SilenceChecked(lost.isEmpty() ? Silence.Verdict.UNKNOWN : Silence.Verdict.LOST));
  }

  static Decided done(JobState state, List<NodeDecision> decisions, long nowMillis) {
    return decided(state, decisions, nowMillis, new Answer.Done());
  }

  private static Decided decided(
      JobState state, List<NodeDecision> decisions, long nowMillis, Answer answer) {
    NextEvents events = new NextEvents(state, nowMillis);
    events.decide(decisions);
    return new Decided(events.list(), answer);
  }

  static Decided take(JobState state, Wish wish, long nowMillis) {
    WishOrders.Outcome outcome = WishOrders.take(state.nodes(), wish);
    return decided(state, outcome.decisions(), nowMillis, new Answer.WishTaken(outcome.taken()));
  }

  static Decided reserve(JobState state, SortedMap<String, Integer> next, long nowMillis) {
    List<NodeDecision> decisions = new ArrayList<>();
    next.forEach(
        (role, number) -> decisions.addAll(JobOrders.reserve(state.nodes(), role, number)));
    return done(state, decisions, nowMillis);
  }
}
