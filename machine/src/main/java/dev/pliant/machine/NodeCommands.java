package dev.pliant.machine;

import dev.pliant.machine.JobMachine.Decided;
import dev.pliant.machine.JobState.Dataset;
import dev.pliant.machine.nodes.JobOrders;
import dev.pliant.machine.nodes.NodeEvent;
import dev.pliant.machine.nodes.NodeObserver;
import dev.pliant.machine.nodes.Ruling;
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
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;

/// What commands about nodes come to, and what nodes mean for the rest of the machine.
final class NodeCommands {
  private NodeCommands() {}

  static Decided define(JobState state, JobPlan plan) {
    Ruling ruling = JobOrders.define(state.nodes(), plan);
    List<Event> events = events(ruling);
    boolean anew =
        ruling.events().stream()
            .anyMatch(event -> event instanceof NodeEvent.JobDefined defined && defined.anew());
    if (anew && state.rendezvous().meeting().ending() != null) {
      events.add(new Event.Met(new RendezvousEvent.Reopened()));
    }
    return new Decided(events, new Answer.Done());
  }

  static Decided scale(JobState state, int workers, String who) {
    JobOrders.Scaling scaling = JobOrders.scale(state.nodes(), workers, who);
    JobPlan.Workers bounds = state.nodes().plan().workers();
    return new Decided(
        events(scaling.ruling()),
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
  static Ruling failFromOutside(JobState state) {
    if (!state.nodes().defined() || !state.nodes().phase().wantsNodes()) {
      return Ruling.NOTHING;
    }
    Meeting.Ending ending = state.rendezvous().meeting().ending();
    if (ending != null && !ending.complete()) {
      return JobOrders.fail(state.nodes(), "group-given-up", ending.why());
    }
    for (Dataset dataset : state.datasets()) {
      if (dataset instanceof Dataset.ByShards(int _, ShardLedger ledger)
          && ledger.failure() != null) {
        Failure failure = ledger.failure();
        return JobOrders.fail(
            state.nodes(),
            "dataset-failed",
            "shard %d of dataset '%s' failed for good, last with worker %s: %s"
                .formatted(
                    failure.shard(), ledger.spec().name(), failure.worker(), failure.cause()));
      }
    }
    return Ruling.NOTHING;
  }

  static Decided check(JobState state, Command.CheckNode command) {
    Silence silence = command.silence();
    if (!silence.exceeds(command.limits())) {
      return new Decided(List.of(), new Answer.SilenceChecked(Silence.Verdict.WAIT));
    }
    String message =
        "no heartbeat from the agent of node %s for %d s"
            .formatted(command.node(), command.limits().of(silence) / 1_000);
    Ruling lost = NodeObserver.lose(state.nodes(), command.node(), message);
    return new Decided(
        events(lost),
        new Answer.SilenceChecked(
            lost.isNothing() ? Silence.Verdict.UNKNOWN : Silence.Verdict.LOST));
  }

  static Decided done(Ruling ruling) {
    return new Decided(events(ruling), new Answer.Done());
  }

  static List<Event> events(Ruling ruling) {
    List<Event> events = new ArrayList<>();
    ruling.events().forEach(event -> events.add(new Event.Nodes(event)));
    ruling.decisions().forEach(decision -> events.add(new Event.DecisionMade(decision)));
    return events;
  }

  static Decided take(JobState state, Wish wish) {
    WishOrders.Outcome outcome = WishOrders.take(state.nodes(), wish);
    return new Decided(events(outcome.ruling()), new Answer.WishTaken(outcome.taken()));
  }

  static Decided recall(JobState state, Wish wish) {
    return new Decided(events(WishOrders.recall(state.nodes(), wish)), new Answer.Done());
  }

  static Decided reserve(JobState state, SortedMap<String, Integer> next) {
    List<Event> events = new ArrayList<>();
    next.forEach(
        (role, number) -> events.addAll(events(JobOrders.reserve(state.nodes(), role, number))));
    return new Decided(events, new Answer.Done());
  }
}
