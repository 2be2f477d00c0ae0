package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.Rendezvous.Exclusion;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Choice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// A rendezvous as its owner keeps it, with a clock that is moved by hand. Members are workers with
/// a node of their own, by number; their first life is 1.
final class Table {
  RendezvousState state = new RendezvousState();
  long now = 1_000_000;
  final List<Choice> decisions = new ArrayList<>();

  /// What happened, and when: what a journal would hold.
  private final List<Dated> journal = new ArrayList<>();

  private record Dated(RendezvousEvent event, long atMillis) {}

  Table(RendezvousRules rules) {
    record(Rendezvous.setRules(state, rules));
  }

  static MemberId life(int number, long incarnation) {
    return new MemberId(new WorkerId("worker-" + number), incarnation);
  }

  static NodeId node(int number) {
    return new NodeId("worker", number);
  }

  static Standing waiting(MemberId id, long after, boolean holdsState) {
    return Standing.waits(id, after, holdsState, "127.0.0.1:4000");
  }

  // What is said.

  /// New members wait, each alone.
  void come(int... numbers) {
    for (int number : numbers) {
      arrive(number, 0, false);
    }
  }

  List<Exclusion> arrive(int number, long after, boolean holdsState) {
    return arrive(number, 1, after, holdsState);
  }

  List<Exclusion> arrive(int number, long incarnation, long after, boolean holdsState) {
    return met(
        Rendezvous.arrive(
            state, node(number), List.of(waiting(life(number, incarnation), after, holdsState))));
  }

  /// Members of the newest world come out of it, with the state.
  void comeOut(int... numbers) {
    for (int number : numbers) {
      arrive(number, state.version(), true);
    }
  }

  List<Exclusion> open(int number, Standing... standings) {
    return met(Rendezvous.open(state, node(number), List.of(standings)));
  }

  void leave(int number, ExitReason reason) {
    record(Rendezvous.leave(state, life(number, 1), reason, ""));
  }

  void die(int... numbers) {
    for (int number : numbers) {
      leave(number, ExitReason.KILLED);
    }
  }

  List<Exclusion> drain(int number) {
    return met(Rendezvous.drain(state, life(number, 1)));
  }

  void rules(RendezvousRules rules) {
    record(Rendezvous.setRules(state, rules));
  }

  void wait(Duration time) {
    long until = now + time.toMillis();
    // A deadline after the other, as a timer would have them.
    for (long next = next(); next <= until; next = next()) {
      now = Math.max(now, next);
      settle();
    }
    now = until;
    settle();
  }

  private long next() {
    return Rendezvous.next(state).atMillis();
  }

  /// The next master: it has what was journalled, and nothing else.
  void restartMaster(Duration away) {
    RendezvousState replayed = new RendezvousState();
    journal.forEach(dated -> replayed.apply(dated.event(), dated.atMillis()));
    now += away.toMillis();
    replayed.masterStarted(now);
    state = RendezvousState.of(replayed.image());
    settle();
  }

  List<Exclusion> met(Rendezvous.Met met) {
    record(met.events());
    return met.excluded();
  }

  private void record(List<RendezvousEvent> events) {
    apply(events);
    settle();
  }

  private void apply(List<RendezvousEvent> events) {
    for (RendezvousEvent event : events) {
      journal.add(new Dated(event, now));
      state.apply(event, now);
    }
  }

  private void settle() {
    for (int round = 0; ; round++) {
      Rendezvous.Settled settled = Rendezvous.settle(state, now);
      if (settled.events().isEmpty()) {
        return;
      }
      if (round > 10) {
        throw new AssertionError("consequences without an end: " + settled);
      }
      apply(settled.events());
      if (settled.choice() != null) {
        decisions.add(settled.choice());
      }
    }
  }

  // What is known.

  World world() {
    return Objects.requireNonNull(state.world(), "no world yet");
  }

  /// The numbers of the newest world's members, by rank.
  List<Integer> members() {
    return world().seats().stream().map(seat -> seat.node().number()).toList();
  }

  List<Integer> waiting() {
    return state.waitingWorkers().stream()
        .map(worker -> NodeId.parse(worker.value()).number())
        .toList();
  }

  Meeting meeting() {
    return state.meeting();
  }

  boolean isReforming() {
    return state.isReforming();
  }

  boolean isAborting() {
    Meeting.Reform reform = state.meeting().reform();
    return reform != null && reform.abort();
  }

  Meeting.Ending ending() {
    return Objects.requireNonNull(state.meeting().ending(), "not closed");
  }

  boolean isClosed() {
    return state.meeting().ending() != null;
  }
}
