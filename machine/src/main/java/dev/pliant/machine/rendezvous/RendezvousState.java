package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.RendezvousImage.Clocks;
import dev.pliant.machine.rendezvous.RendezvousImage.DepartedImage;
import dev.pliant.machine.rendezvous.RendezvousImage.MemberImage;
import dev.pliant.machine.rendezvous.RendezvousImage.WorldImage;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Everything a rendezvous knows. It changes only by [#apply] and [#masterStarted]; [Rendezvous]
/// decides over it. A member trains (it is in the newest world) or waits (for the next); nobody
/// does both, and whoever is gone is neither.
public final class RendezvousState {
  /// How many lives that are over are remembered.
  static final int MAX_DEPARTED = 10_000;

  /// A living member.
  static final class Member {
    final MemberId id;
    final NodeId node;

    /// The newest world it was in; 0 for none.
    long lastWorld;

    boolean holdsState;
    String address;
    boolean training;
    boolean draining;

    Member(MemberId id, NodeId node, String address) {
      this.id = id;
      this.node = node;
      this.address = address;
    }
  }

  private RendezvousRules rules = RendezvousRules.DEFAULT;

  /// The oldest first: in the order of their first arrival.
  private final LinkedHashMap<WorkerId, Member> members = new LinkedHashMap<>();

  private final Map<NodeId, Set<WorkerId>> byNode = new HashMap<>();
  private final LinkedHashMap<WorkerId, Departed> departed = new LinkedHashMap<>();
  private @Nullable World world;
  private Meeting.@Nullable Reform reform;
  private Meeting.@Nullable Ending ending;
  private String breakWhy = "";
  private Clocks clocks = Clocks.STOPPED;
  private @Nullable Stall stall;

  // Counted along, so that nothing is counted anew for each of many thousands that come.
  private int training;
  private int draining;
  private int waiting;
  private int survivorsWaiting;

  /// What agents are to know, until it changes.
  private @Nullable Meeting meeting;

  // What is known.

  public RendezvousRules rules() {
    return rules;
  }

  /// The newest world, or null.
  public @Nullable World world() {
    return world;
  }

  /// The version of the newest world; 0 where there was none.
  public long version() {
    return world == null ? 0 : world.version();
  }

  Meeting.@Nullable Reform reform() {
    return reform;
  }

  Meeting.@Nullable Ending ending() {
    return ending;
  }

  /// Why the world is no longer what was formed; empty while it is.
  String breakWhy() {
    return breakWhy;
  }

  Clocks clocks() {
    return clocks;
  }

  /// What the newest world, or the one before it, did in vain; null where its work is recorded.
  @Nullable Stall stall() {
    return stall;
  }

  /// How many are in the newest world and have not come out of it.
  int training() {
    return training;
  }

  /// How many of those are to go.
  int draining() {
    return draining;
  }

  int waiting() {
    return waiting;
  }

  /// How many of those who wait were in the newest world.
  int survivorsWaiting() {
    return survivorsWaiting;
  }

  /// Whether nobody trains: there was no world, or all have come out of it.
  boolean isOver() {
    return training == 0;
  }

  int size() {
    return members.size();
  }

  @Nullable Member member(WorkerId worker) {
    return members.get(worker);
  }

  @Nullable Departed departed(WorkerId worker) {
    return departed.get(worker);
  }

  /// The living of a node.
  List<WorkerId> on(NodeId node) {
    return List.copyOf(byNode.getOrDefault(node, Set.of()));
  }

  /// The living, oldest first.
  Iterable<Member> members() {
    return members.values();
  }

  /// Those who wait, oldest first.
  public List<WorkerId> waitingWorkers() {
    List<WorkerId> names = new ArrayList<>();
    for (Member member : members.values()) {
      if (!member.training) {
        names.add(member.id.worker());
      }
    }
    return names;
  }

  public boolean isReforming() {
    return reform != null;
  }

  /// What agents are to know.
  public Meeting meeting() {
    if (meeting == null) {
      meeting = new Meeting(world, reform, ending);
    }
    return meeting;
  }

  // What happens.

  /// A master took over. Nobody could say anything to a master that was not there, so that time
  /// does not count.
  public void masterStarted(long atMillis) {
    clocks = clocks.from(atMillis);
    stall = stall == null ? null : stall.from(atMillis);
  }

  /// A step of the training was recorded.
  public void progressed() {
    stall = null;
  }

  /// Applies an event. Its truth was decided when it was made; one that does not fit the state is a
  /// defect or a damaged journal, and throws.
  public void apply(RendezvousEvent event, long atMillis) {
    switch (event) {
      case RendezvousEvent.RulesSet(RendezvousRules set) -> rules = set;
      case RendezvousEvent.Arrived e -> arrived(e, atMillis);
      case RendezvousEvent.Draining(MemberId id) -> {
        living(id).draining = true;
        draining++;
      }
      case RendezvousEvent.Gone e -> gone(e, atMillis);
      case RendezvousEvent.CommitRefused e -> refused(e, atMillis);
      case RendezvousEvent.ReformWanted(long version, String why) -> {
        reform = new Meeting.Reform(version, false, why);
        meeting = null;
      }
      case RendezvousEvent.AbortWanted(long version) -> {
        reform = new Meeting.Reform(version, true, reform == null ? "" : reform.why());
        meeting = null;
      }
      case RendezvousEvent.WorldFormed e -> formed(e, atMillis);
      case RendezvousEvent.Closed(boolean complete, String why) -> {
        ending = new Meeting.Ending(complete, why, waitingNodes());
        meeting = null;
      }
      case RendezvousEvent.Reopened() -> {
        ending = null;
        stall = null;
        meeting = null;
      }
    }
    wind(atMillis);
  }

  private void refused(RendezvousEvent.CommitRefused e, long atMillis) {
    Stall before = stall;
    if (before != null && before.version() == e.version()) {
      stall =
          new Stall(
              e.version(), e.why(), before.sinceMillis(), e.confirmed(), before.earlierWorlds());
    } else {
      int earlier = before != null && before.confirmed() ? before.earlierWorlds() + 1 : 0;
      stall = new Stall(e.version(), e.why(), atMillis, e.confirmed(), earlier);
    }
  }

  private void arrived(RendezvousEvent.Arrived e, long atMillis) {
    Member member = members.get(e.member().worker());
    if (member == null) {
      member = new Member(e.member(), e.node(), e.address());
      members.put(e.member().worker(), member);
      byNode.computeIfAbsent(e.node(), _ -> new LinkedHashSet<>()).add(e.member().worker());
      departed.remove(e.member().worker());
      waiting++;
    } else if (member.training) {
      leaveWorld(member, "worker %s came out of it".formatted(e.member().worker()));
      clocks = clocks.out(atMillis);
      waiting++;
      survivorsWaiting++;
    }
    member.holdsState = e.holdsState();
    member.address = e.address();
  }

  private void gone(RendezvousEvent.Gone e, long atMillis) {
    Member member = living(e.member());
    long from = 0;
    if (member.training) {
      from = version();
      leaveWorld(member, "worker %s is gone: %s".formatted(e.member().worker(), e.why()));
      clocks = e.how() == Departure.RELEASED ? clocks.out(atMillis) : clocks.broken(atMillis);
    } else {
      waiting--;
      survivorsWaiting -= isSurvivor(member) ? 1 : 0;
    }
    forget(member);
    departed.remove(e.member().worker());
    departed.put(
        e.member().worker(), new Departed(e.member().incarnation(), e.how(), from, e.why()));
    if (departed.size() > MAX_DEPARTED) {
      departed.pollFirstEntry();
    }
  }

  /// A member is no longer in the world; what it does instead is the caller's.
  private void leaveWorld(Member member, String why) {
    member.training = false;
    training--;
    if (member.draining) {
      member.draining = false;
      draining--;
    }
    if (breakWhy.isEmpty()) {
      breakWhy = why;
    }
  }

  private void forget(Member member) {
    members.remove(member.id.worker());
    Set<WorkerId> there = byNode.get(member.node);
    if (there != null && there.remove(member.id.worker()) && there.isEmpty()) {
      byNode.remove(member.node);
    }
  }

  private void formed(RendezvousEvent.WorldFormed e, long atMillis) {
    List<World.Seat> seats = new ArrayList<>(e.members().size());
    for (WorkerId worker : e.members()) {
      Member member = members.get(worker);
      if (member == null || member.training) {
        throw new IllegalStateException(
            "world %d is formed with worker %s, which does not wait"
                .formatted(e.version(), worker));
      }
      member.training = true;
      member.lastWorld = e.version();
      seats.add(new World.Seat(member.id, member.node, member.address));
    }
    world = new World(e.version(), atMillis, rules.largest(), seats);
    training = seats.size();
    waiting -= seats.size();
    survivorsWaiting = 0;
    reform = null;
    breakWhy = "";
    clocks = Clocks.STOPPED;
    meeting = null;
  }

  /// Starts and stops the clocks by what holds now.
  private void wind(long atMillis) {
    boolean enough = rules.sizeOf(waiting) > 0;
    boolean larger = !isOver() && rules.sizeOf(training - draining + waiting) > training;
    clocks =
        new Clocks(
            Clocks.run(clocks.quorum(), isOver() && enough, atMillis),
            Clocks.run(
                clocks.tooFew(), isOver() && !enough && waiting > 0 && world != null, atMillis),
            Clocks.run(clocks.gain(), larger, atMillis),
            clocks.firstOut(),
            clocks.broken());
  }

  private Member living(MemberId id) {
    Member member = members.get(id.worker());
    if (member == null || !member.id.equals(id)) {
      throw new IllegalStateException("there is no member " + id);
    }
    return member;
  }

  private boolean isSurvivor(Member member) {
    return member.lastWorld != 0 && member.lastWorld == version();
  }

  private Set<NodeId> waitingNodes() {
    Set<NodeId> nodes = new HashSet<>();
    for (Member member : members.values()) {
      if (!member.training) {
        nodes.add(member.node);
      }
    }
    return nodes;
  }

  // Images.

  /// The whole state as a value.
  public RendezvousImage image() {
    List<MemberImage> living = new ArrayList<>(members.size());
    for (Member m : members.values()) {
      living.add(
          new MemberImage(
              m.id, m.node, m.lastWorld, m.holdsState, m.address, m.training, m.draining));
    }
    List<DepartedImage> gone = new ArrayList<>(departed.size());
    departed.forEach((worker, life) -> gone.add(new DepartedImage(worker, life)));
    return new RendezvousImage(
        rules,
        living,
        gone,
        world == null
            ? null
            : new WorldImage(world.version(), world.formedMillis(), world.maxSize(), world.seats()),
        reform,
        breakWhy,
        ending,
        clocks,
        stall);
  }

  /// The state that had this image.
  public static RendezvousState of(RendezvousImage image) {
    RendezvousState state = new RendezvousState();
    state.rules = image.rules();
    WorldImage formed = image.world();
    if (formed != null) {
      state.world =
          new World(formed.version(), formed.formedMillis(), formed.maxSize(), formed.seats());
    }
    image.members().forEach(state::restore);
    image.departed().forEach(gone -> state.departed.put(gone.worker(), gone.departed()));
    state.reform = image.reform();
    state.breakWhy = image.breakWhy();
    state.ending = image.ending();
    state.clocks = image.clocks();
    state.stall = image.stall();
    return state;
  }

  private void restore(MemberImage image) {
    Member member = new Member(image.id(), image.node(), image.address());
    member.lastWorld = image.lastWorld();
    member.holdsState = image.holdsState();
    member.training = image.training();
    member.draining = image.draining();
    members.put(image.id().worker(), member);
    byNode.computeIfAbsent(image.node(), _ -> new LinkedHashSet<>()).add(image.id().worker());
    training += member.training ? 1 : 0;
    draining += member.draining ? 1 : 0;
    waiting += member.training ? 0 : 1;
    survivorsWaiting += !member.training && isSurvivor(member) ? 1 : 0;
  }
}
