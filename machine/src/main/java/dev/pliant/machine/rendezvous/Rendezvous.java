package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.RendezvousImage.Clocks;
import dev.pliant.machine.rendezvous.RendezvousState.Member;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Choice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Decides over a [RendezvousState], changing nothing. What is said by agents becomes events at
/// once; what follows from the state and the time is found by [#next] and made by [#settle]:
///
/// | nobody trains | |
/// |---|---|
/// | those of the last world who live suffice | form at once, with whoever else waits |
/// | enough wait, and they are all that are wished, or the most | form at once |
/// | enough wait | form after the last call |
/// | some wait, too few, after a world | wait `belowMinFor`, then close |
/// | some wait, too few, before the first world | wait |
/// | **some train, nothing is wanted** | |
/// | one came out, or is gone, or is to go; or the rules forbid the world | reform at once |
/// | with those who wait the world would be larger, and all wished are there, or the most | reform at once |
/// | with those who wait the world would be larger | reform after the last call |
/// | those who wait would not make it larger | they wait |
/// | the ledger refuses its steps for `STALLED_AFTER` | reform; close, if the world before it ended for the same |
/// | **some train, the world is to end** | |
/// | `abortAfter` since one came out or is gone | those still in it are to break off |
/// | `leaveOutAfter` since one came out | those still in it are left out |
/// | `belowMinFor` since one is gone, and nobody came out | those still in it are left out |
/// | nobody came out, nobody is gone | no deadline: a long step costs nobody anything |
/// | **closed** | nothing |
///
/// Into a world those who hold state are taken first, then the oldest. Rank 0 is the oldest that
/// holds state, wherever anybody does; nodes follow in the order of their first members, and the
/// members of a node stand side by side.
public final class Rendezvous {
  /// How long the ledger may refuse the steps of a world.
  static final Duration STALLED_AFTER = Duration.ofSeconds(10);

  private Rendezvous() {}

  /// What a word comes to.
  ///
  /// @param excluded members that are out, for the one who spoke
  /// @param closed whether a member waits although there will be no further world
  public record Met(List<RendezvousEvent> events, List<Exclusion> excluded, boolean closed) {
    static final Met NOTHING = new Met(List.of(), List.of(), false);
  }

  /// @param released whether it was asked to go; else it was given up
  public record Exclusion(MemberId member, boolean released, String why) {}

  // What is said.

  /// An agent opens a stream and says what each of its members does: those that it does not name
  /// are gone.
  public static Met open(RendezvousState state, NodeId node, List<Standing> standings) {
    Hearing hearing = new Hearing(state, node);
    Set<WorkerId> named = new HashSet<>();
    for (Standing standing : standings) {
      named.add(standing.id().worker());
      hearing.hear(standing);
    }
    for (WorkerId worker : state.on(node)) {
      Member member = state.member(worker);
      if (member != null && !named.contains(worker)) {
        hearing.events.add(
            new RendezvousEvent.Gone(
                member.id, Departure.MISSING, ExitReason.UNKNOWN, "its agent no longer has it"));
      }
    }
    return hearing.met();
  }

  /// Members wait for the next world.
  public static Met arrive(RendezvousState state, NodeId node, List<Standing> standings) {
    Hearing hearing = new Hearing(state, node);
    standings.forEach(hearing::hear);
    return hearing.met();
  }

  /// A process is gone. One that has done what it had to, in the world, has completed the training.
  public static List<RendezvousEvent> leave(
      RendezvousState state, MemberId id, ExitReason reason, String message) {
    Member member = state.member(id.worker());
    if (member != null && member.id.equals(id)) {
      return leave(state, member, reason, message);
    }
    Departed gone = state.departed(id.worker());
    boolean finished =
        gone != null
            && gone.incarnation() == id.incarnation()
            && gone.how() == Departure.MISSING
            && gone.world() != 0
            && gone.world() == state.version();
    // Its agent's stream broke before it could say so.
    return finished && reason == ExitReason.SUCCEEDED && state.ending() == null
        ? List.of(completed(id.worker()))
        : List.of();
  }

  /// A worker is gone, whichever life of it there was.
  public static List<RendezvousEvent> leave(
      RendezvousState state, WorkerId worker, ExitReason reason, String message) {
    Member member = state.member(worker);
    if (member != null) {
      return leave(state, member, reason, message);
    }
    Departed gone = state.departed(worker);
    return gone == null
        ? List.of()
        : leave(state, new MemberId(worker, gone.incarnation()), reason, message);
  }

  private static List<RendezvousEvent> leave(
      RendezvousState state, Member member, ExitReason reason, String message) {
    boolean finished = reason == ExitReason.SUCCEEDED;
    Departure how = finished && member.draining ? Departure.RELEASED : Departure.ENDED;
    String why = message.isBlank() ? "it ended: " + reason : message;
    List<RendezvousEvent> events = new ArrayList<>(2);
    events.add(new RendezvousEvent.Gone(member.id, how, reason, why));
    if (finished && how == Departure.ENDED && member.training && state.ending() == null) {
      events.add(completed(member.id.worker()));
    }
    return events;
  }

  private static RendezvousEvent completed(WorkerId worker) {
    return new RendezvousEvent.Closed(
        true, "worker %s has finished the training".formatted(worker));
  }

  /// A process is to go.
  public static Met drain(RendezvousState state, MemberId id) {
    Member member = state.member(id.worker());
    if (member == null || !member.id.equals(id)) {
      return new Met(List.of(), List.of(exclusion(state, id)), false);
    }
    if (!member.training) {
      String why = "it was asked to go";
      return new Met(
          List.of(new RendezvousEvent.Gone(id, Departure.RELEASED, ExitReason.SUCCEEDED, why)),
          List.of(new Exclusion(id, true, why)),
          false);
    }
    return member.draining
        ? Met.NOTHING
        : new Met(List.of(new RendezvousEvent.Draining(id)), List.of(), false);
  }

  public static List<RendezvousEvent> setRules(RendezvousState state, RendezvousRules rules) {
    return rules.equals(state.rules()) ? List.of() : List.of(new RendezvousEvent.RulesSet(rules));
  }

  /// The ledger refused a step of the newest world. The first refusal is noted; one that comes
  /// `STALLED_AFTER` later, with no step taken in between, confirms that the world works in vain.
  public static List<RendezvousEvent> refused(RendezvousState state, String why, long nowMillis) {
    Stall stall = state.stall();
    Stall known = stall == null || stall.version() != state.version() ? null : stall;
    boolean confirmed =
        known != null && nowMillis - known.sinceMillis() >= STALLED_AFTER.toMillis();
    boolean news = known == null || (confirmed && !known.confirmed());
    return news && state.ending() == null
        ? List.of(new RendezvousEvent.CommitRefused(state.version(), why, confirmed))
        : List.of();
  }

  /// What is said of several members of one node, one after the other.
  private static final class Hearing {
    private final RendezvousState state;
    private final NodeId node;
    private final List<RendezvousEvent> events = new ArrayList<>();
    private final List<Exclusion> excluded = new ArrayList<>();
    private int fresh;
    private boolean closed;

    Hearing(RendezvousState state, NodeId node) {
      this.state = state;
      this.node = node;
    }

    Met met() {
      return new Met(events, excluded, closed);
    }

    void hear(Standing said) {
      Member member = state.member(said.id().worker());
      if (member != null && member.id.equals(said.id())) {
        check(member, said);
        if (said.waits()) {
          waits(member, said);
        }
      } else if (said.waits() && said.after() == 0 && isNewLife(said.id())) {
        begins(member, said);
      } else {
        excluded.add(exclusion(state, said.id()));
      }
    }

    private void check(Member member, Standing said) {
      if (!member.node.equals(node)) {
        throw new PliantException(
            ErrorCode.BAD_MESSAGE,
            "member %s is on node %s; node %s cannot speak for it."
                .formatted(said.id(), member.node, node));
      }
      if (Math.max(said.after(), said.world()) > member.lastWorld) {
        throw new PliantException(
            ErrorCode.OUT_OF_RANGE,
            "member %s was never in world %d; the newest that it was in is %d."
                .formatted(said.id(), Math.max(said.after(), said.world()), member.lastWorld));
      }
    }

    /// A living member waits, or did when this was said.
    private void waits(Member member, Standing said) {
      if (said.after() < member.lastWorld) {
        // Said before it was in its newest world, of which it has yet to hear.
        return;
      }
      if (member.training && member.draining) {
        String why = "it was asked to go, and the next world is without it";
        events.add(
            new RendezvousEvent.Gone(member.id, Departure.RELEASED, ExitReason.SUCCEEDED, why));
        excluded.add(new Exclusion(member.id, true, why));
        return;
      }
      closed |= state.ending() != null;
      boolean news =
          member.training
              || member.holdsState != said.holdsState()
              || !member.address.equals(said.address());
      if (news && state.ending() == null) {
        events.add(arrived(said));
      }
    }

    private boolean isNewLife(MemberId id) {
      Member member = state.member(id.worker());
      Departed gone = state.departed(id.worker());
      return (member == null || isLater(id.incarnation(), member.id.incarnation()))
          && (gone == null || isLater(id.incarnation(), gone.incarnation()));
    }

    private void begins(@Nullable Member before, Standing said) {
      if (state.size() + ++fresh > RendezvousRules.MAX_MEMBERS) {
        throw new PliantException(
            ErrorCode.TOO_MANY,
            "%,d members are there, as many as the rendezvous takes; %s is one more."
                .formatted(state.size(), said.id()));
      }
      if (before != null) {
        events.add(
            new RendezvousEvent.Gone(
                before.id, Departure.REPLACED, ExitReason.UNKNOWN, "a later life of it came"));
      }
      if (state.ending() == null) {
        events.add(arrived(said));
      } else {
        closed = true;
      }
    }

    private RendezvousEvent arrived(Standing said) {
      return new RendezvousEvent.Arrived(
          said.id(), node, said.after(), said.holdsState(), said.address());
    }
  }

  private static boolean isLater(long incarnation, long than) {
    return Long.compareUnsigned(incarnation, than) > 0;
  }

  /// What to tell a life that is over, or never was.
  private static Exclusion exclusion(RendezvousState state, MemberId id) {
    Member member = state.member(id.worker());
    if (member != null && isLater(member.id.incarnation(), id.incarnation())) {
      return new Exclusion(id, false, "a later life of worker %s is there".formatted(id.worker()));
    }
    Departed gone = state.departed(id.worker());
    if (gone != null && gone.incarnation() == id.incarnation()) {
      return new Exclusion(id, gone.how() == Departure.RELEASED, gone.why());
    }
    return new Exclusion(id, false, "this life of it is not known here; it may begin as a new one");
  }

  // What follows.

  /// What follows now, and why.
  ///
  /// @param choice null where nothing was chosen
  public record Settled(List<RendezvousEvent> events, @Nullable Choice choice) {
    static final Settled NOTHING = new Settled(List.of(), null);
  }

  /// Makes what is due; to be asked again until nothing is.
  public static Settled settle(RendezvousState state, long nowMillis) {
    Next next = next(state);
    if (next.atMillis() > nowMillis) {
      return Settled.NOTHING;
    }
    return switch (next) {
      case Next.Nothing _ -> Settled.NOTHING;
      case Next.Form(long _, Next.Trigger trigger) -> form(state, trigger);
      case Next.Reform(long _, String why) ->
          new Settled(List.of(new RendezvousEvent.ReformWanted(state.version(), why)), null);
      case Next.Abort _ ->
          new Settled(List.of(new RendezvousEvent.AbortWanted(state.version())), null);
      case Next.LeaveOut(long _, String why) -> leaveOut(state, why);
      case Next.Stalled(long _, String why) ->
          new Settled(
              List.of(new RendezvousEvent.Closed(false, why)), RendezvousDecisions.stalled(state));
      case Next.GiveUp _ -> giveUp(state);
    };
  }

  /// What will happen next if nobody says anything more.
  public static Next next(RendezvousState state) {
    if (state.ending() != null) {
      return new Next.Nothing();
    }
    if (state.isOver()) {
      return nextWithoutWorld(state);
    }
    if (state.reform() != null) {
      return nextOfReform(state, state.clocks());
    }
    Next next = nextOfWorld(state);
    Next stalled = nextOfStall(state);
    return stalled.atMillis() <= next.atMillis() ? stalled : next;
  }

  private static Next nextWithoutWorld(RendezvousState state) {
    RendezvousRules rules = state.rules();
    int waiting = state.waiting();
    if (rules.sizeOf(waiting) == 0) {
      long since = state.clocks().tooFew();
      return since == Clocks.OFF
          ? new Next.Nothing()
          : new Next.GiveUp(after(since, rules.belowMinFor()));
    }
    if (rules.sizeOf(state.survivorsWaiting()) > 0) {
      return new Next.Form(Next.AT_ONCE, Next.Trigger.SURVIVORS_ARRIVED);
    }
    if (isFull(rules, waiting)) {
      return new Next.Form(Next.AT_ONCE, Next.Trigger.ALL_REQUESTED_ARRIVED);
    }
    return new Next.Form(
        after(state.clocks().quorum(), rules.lastCall()), Next.Trigger.LAST_CALL_OVER);
  }

  private static Next nextOfWorld(RendezvousState state) {
    RendezvousRules rules = state.rules();
    World world = state.world();
    if (!state.breakWhy().isEmpty()) {
      return new Next.Reform(Next.AT_ONCE, state.breakWhy());
    }
    if (state.draining() > 0) {
      return new Next.Reform(Next.AT_ONCE, "a member of it is to go");
    }
    if (world != null && (world.size() > rules.largest() || world.size() % rules.unit() != 0)) {
      return new Next.Reform(Next.AT_ONCE, "the job's limits have changed");
    }
    int together = state.training() + state.waiting();
    int larger = rules.sizeOf(together);
    if (larger <= state.training()) {
      return new Next.Nothing();
    }
    String why = larger - state.training() + " more can join";
    return new Next.Reform(
        isFull(rules, together) ? Next.AT_ONCE : after(state.clocks().gain(), rules.lastCall()),
        why);
  }

  private static Next nextOfStall(RendezvousState state) {
    Stall stall = state.stall();
    if (stall == null || stall.version() != state.version() || !stall.confirmed()) {
      return new Next.Nothing();
    }
    String why = "Progress is not being recorded. " + stall.why();
    return stall.earlierWorlds() == 0
        ? new Next.Reform(Next.AT_ONCE, why)
        : new Next.Stalled(Next.AT_ONCE, why);
  }

  private static Next nextOfReform(RendezvousState state, Clocks clocks) {
    RendezvousRules rules = state.rules();
    Meeting.Reform reform = state.reform();
    long since =
        clocks.firstOut() == Clocks.OFF || clocks.broken() == Clocks.OFF
            ? Math.max(clocks.firstOut(), clocks.broken())
            : Math.min(clocks.firstOut(), clocks.broken());
    if (since == Clocks.OFF) {
      return new Next.Nothing();
    }
    if (reform != null && !reform.abort()) {
      return new Next.Abort(after(since, rules.abortAfter()));
    }
    return clocks.firstOut() == Clocks.OFF
        ? new Next.LeaveOut(
            after(clocks.broken(), rules.belowMinFor()),
            "nobody came out of its world in "
                + said(rules.belowMinFor())
                + " although a member is gone")
        : new Next.LeaveOut(
            after(clocks.firstOut(), rules.leaveOutAfter()),
            "it did not come out of its world within "
                + said(rules.leaveOutAfter())
                + " of the first that did");
  }

  /// Whether nobody else is to be waited for.
  private static boolean isFull(RendezvousRules rules, int candidates) {
    return candidates >= rules.largest() || (rules.wished() > 0 && candidates >= rules.wished());
  }

  private static long after(long sinceMillis, Duration wait) {
    return sinceMillis + wait.toMillis();
  }

  static String said(Duration time) {
    return time.toMillis() / 1000.0 + " s";
  }

  private static Settled form(RendezvousState state, Next.Trigger trigger) {
    List<Member> holders = new ArrayList<>();
    List<Member> others = new ArrayList<>();
    for (Member member : state.members()) {
      if (!member.training) {
        (member.holdsState ? holders : others).add(member);
      }
    }
    List<Member> order = new ArrayList<>(holders);
    order.addAll(others);
    int size = state.rules().sizeOf(order.size());
    List<WorkerId> members = byNode(order.subList(0, size));
    List<WorkerId> waiting =
        order.subList(size, order.size()).stream().map(member -> member.id.worker()).toList();
    long version = state.version() + 1;
    return new Settled(
        List.of(new RendezvousEvent.WorldFormed(version, members)),
        RendezvousDecisions.formed(state, version, members, holders.size(), waiting, trigger));
  }

  /// Those of a node side by side, where the first of them is.
  private static List<WorkerId> byNode(List<Member> order) {
    Map<NodeId, List<WorkerId>> byNode = new LinkedHashMap<>();
    for (Member member : order) {
      byNode.computeIfAbsent(member.node, _ -> new ArrayList<>()).add(member.id.worker());
    }
    return byNode.values().stream().flatMap(List::stream).toList();
  }

  private static Settled leaveOut(RendezvousState state, String why) {
    List<RendezvousEvent> events = new ArrayList<>();
    List<WorkerId> out = new ArrayList<>();
    for (Member member : state.members()) {
      if (member.training) {
        events.add(
            new RendezvousEvent.Gone(member.id, Departure.LEFT_OUT, ExitReason.UNKNOWN, why));
        out.add(member.id.worker());
      }
    }
    return new Settled(events, RendezvousDecisions.leftOut(state, out));
  }

  private static Settled giveUp(RendezvousState state) {
    RendezvousRules rules = state.rules();
    String why =
        "%d members wait for others since %s, and a world needs %d"
            .formatted(state.waiting(), said(rules.belowMinFor()), rules.smallest());
    return new Settled(
        List.of(new RendezvousEvent.Closed(false, why)), RendezvousDecisions.gaveUp(state));
  }
}
