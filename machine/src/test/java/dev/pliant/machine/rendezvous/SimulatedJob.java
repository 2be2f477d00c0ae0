package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.RendezvousState.Member;
import dev.pliant.model.ExitReason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// A job in simulated time: a master that decides as the real one does and may be killed, nodes
/// that follow the protocol and may be anything else, and a network that delays and loses.
/// Everything follows from the seed.
final class SimulatedJob {
  static final int HEARTBEAT_TIMEOUT = 15_000;

  /// How long a collective waits for a peer that says nothing.
  static final int COLLECTIVE_TIMEOUT = 5_000;

  static final Duration BELOW_MIN_FOR = Duration.ofSeconds(60);

  private record Timed(long atMillis, long order, Runnable what) implements Comparable<Timed> {
    @Override
    public int compareTo(Timed other) {
      int byTime = Long.compare(atMillis, other.atMillis);
      return byTime != 0 ? byTime : Long.compare(order, other.order);
    }
  }

  /// What happened, and when: what a journal would hold. A null event is the start of a master.
  private record Dated(@Nullable RendezvousEvent event, long atMillis) {}

  final SplittableRandom random;
  private final PriorityQueue<Timed> agenda = new PriorityQueue<>();
  private long order;
  long now = 1_000;

  private RendezvousState state = new RendezvousState();
  private final List<Dated> journal = new ArrayList<>();
  private int epoch = 1;
  boolean masterUp = true;
  private long deadline = Long.MAX_VALUE;
  RendezvousRules rules;
  final List<SimulatedNode> nodes = new ArrayList<>();
  private final Map<Long, SimulatedGroup> groups = new HashMap<>();
  private final @Nullable Consumer<String> trace;

  SimulatedJob(long seed, @Nullable Consumer<String> trace) {
    this.random = new SplittableRandom(seed);
    this.trace = trace;
    int min = 1 + random.nextInt(3);
    int max = min + random.nextInt(4);
    int unit = max >= 2 && random.nextInt(4) == 0 ? 2 : 1;
    if (Math.ceilDiv(min, unit) * unit > max) {
      unit = 1;
    }
    this.rules =
        RendezvousRules.of(min, max)
            .withUnit(unit)
            .withWished(random.nextBoolean() ? 0 : min + random.nextInt(max - min + 1))
            .withPatience(
                RendezvousRules.ABORT_AFTER, RendezvousRules.LEAVE_OUT_AFTER, BELOW_MIN_FOR);
    say("rules %s", rules);
    record(Rendezvous.setRules(state, rules));
  }

  void say(String format, Object... arguments) {
    if (trace != null) {
      trace.accept("%8d  %s".formatted(now, format.formatted(arguments)));
    }
  }

  boolean isTraced() {
    return trace != null;
  }

  // Time.

  void after(long millis, Runnable what) {
    agenda.add(new Timed(now + millis, order++, what));
  }

  int between(int least, int most) {
    return least + random.nextInt(most - least + 1);
  }

  /// Lets time pass up to a moment.
  void runUntil(long millis) {
    for (Timed next = agenda.peek();
        next != null && next.atMillis <= millis;
        next = agenda.peek()) {
      agenda.remove();
      now = next.atMillis;
      next.what.run();
    }
    now = millis;
  }

  // The master.

  RendezvousState state() {
    return state;
  }

  SimulatedGroup group(long version) {
    return groups.computeIfAbsent(version, _ -> new SimulatedGroup(this, version));
  }

  /// Has a word decided by the master, if there is one.
  void hear(SimulatedNode from, int stream, Word word) {
    if (!masterUp || !from.isStream(stream)) {
      return;
    }
    Rendezvous.Met met = word.decide(state);
    Telling telling = from.telling();
    met.excluded().forEach(telling::exclude);
    Meeting.Ending ending = state.meeting().ending();
    record(met.events());
    if (met.closed() && ending != null) {
      telling.close(ending);
    }
    from.opened();
    tellAll();
  }

  /// Has a word decided that comes from nowhere in particular: a repetition, or the liveness' own.
  void hearLate(Word word) {
    if (masterUp) {
      record(word.decide(state).events());
      tellAll();
    }
  }

  interface Word {
    Rendezvous.Met decide(RendezvousState state);
  }

  /// Nothing is heard of a node's worker any more, for as long as that is so.
  void fallSilent(MemberId member, BooleanSupplier silent) {
    after(HEARTBEAT_TIMEOUT, () -> giveUp(member, silent));
  }

  private void giveUp(MemberId member, BooleanSupplier silent) {
    if (!silent.getAsBoolean()) {
      return;
    }
    if (!masterUp) {
      fallSilent(member, silent);
      return;
    }
    Member known = state.member(member.worker());
    if (known != null && known.id.equals(member)) {
      hearLate(s ->
          new Rendezvous.Met(
              Rendezvous.leave(s, member.worker(), ExitReason.NO_HEARTBEAT, "silent"),
              List.of(),
              false));
    }
  }

  /// Asks what a heartbeat's answer says: whether a member was given up.
  boolean isGivenUp(MemberId member) {
    Departed gone = state.departed(member.worker());
    return masterUp && gone != null && gone.incarnation() == member.incarnation();
  }

  void setRules(RendezvousRules set) {
    if (masterUp) {
      rules = set;
      say("rules %s", set);
      record(Rendezvous.setRules(state, set));
      tellAll();
    }
  }

  void killMaster(int awayMillis) {
    if (!masterUp) {
      return;
    }
    say("master %d is killed", epoch);
    masterUp = false;
    nodes.forEach(SimulatedNode::loseStream);
    after(awayMillis, this::startMaster);
  }

  private void startMaster() {
    masterUp = true;
    epoch++;
    journal.add(new Dated(null, now));
    RendezvousState replayed = new RendezvousState();
    for (Dated dated : journal) {
      if (dated.event == null) {
        replayed.masterStarted(dated.atMillis);
      } else {
        replayed.apply(dated.event, dated.atMillis);
      }
    }
    state.masterStarted(now);
    if (!replayed.image().equals(state.image())) {
      throw new AssertionError("a replayed state is another one than before the master died");
    }
    state = random.nextBoolean() ? replayed : RendezvousState.of(replayed.image());
    say("master %d is up", epoch);
    deadline = Long.MAX_VALUE;
    record(List.of());
  }

  private void record(List<RendezvousEvent> events) {
    apply(events);
    for (int round = 0; ; round++) {
      if (round > 20) {
        throw new AssertionError("consequences without an end");
      }
      Rendezvous.Settled settled = Rendezvous.settle(state, now);
      if (settled.events().isEmpty()) {
        break;
      }
      apply(settled.events());
    }
    long next = Rendezvous.next(state).atMillis();
    if (next != deadline) {
      deadline = next;
      if (next != Long.MAX_VALUE) {
        int master = epoch;
        agenda.add(new Timed(Math.max(next, now), order++, () -> checkDeadlines(master, next)));
      }
    }
  }

  private void checkDeadlines(int master, long due) {
    if (masterUp && master == epoch && due == deadline) {
      deadline = Long.MAX_VALUE;
      record(List.of());
      tellAll();
    }
  }

  private void apply(List<RendezvousEvent> events) {
    for (RendezvousEvent event : events) {
      if (event instanceof RendezvousEvent.WorldFormed formed) {
        Invariants.beforeForming(state, formed);
      }
      journal.add(new Dated(event, now));
      state.apply(event, now);
      say("%s", event);
    }
  }

  private void tellAll() {
    for (SimulatedNode node : nodes) {
      node.hearFromMaster(state.meeting());
    }
  }
}
