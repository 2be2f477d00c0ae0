package dev.pliant.agent.world;

import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.Excluded;
import dev.pliant.protocol.v1.MeetArrive;
import dev.pliant.protocol.v1.MeetDrain;
import dev.pliant.protocol.v1.MeetLeave;
import dev.pliant.protocol.v1.MeetOpen;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.protocol.v1.Rank;
import dev.pliant.protocol.v1.Reform;
import dev.pliant.protocol.v1.World;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// What this node knows of worlds: what each of its processes asked for, which world each is in,
/// and what the master said last. It decides what is said to the master and what processes are
/// told; it knows no clock, no thread and no network.
///
/// A process is a *member* from its first request for a world until it leaves. A member that the
/// master gave up and that begins again is another one, of a higher *incarnation*. Every word makes
/// sense in every state, as the master may have said it before it heard of the latest here: what is
/// about another incarnation, or about a world that is not newer, changes nothing. What a caller
/// gets to say is lost with the stream; [#opening] says all of it again.
final class WorldBook {
  /// Leaves that are said again when a stream is opened, at most; the same bound as for members.
  static final int MAX_LEAVES = 1_024;

  /// Worlds whose end is remembered. Nobody asks about older ones.
  private static final int MAX_ENDINGS = 16;

  /// What a member does.
  private sealed interface Stage {
    /// It waits for a world.
    record Waiting(Arrival arrival) implements Stage {}

    /// It is in one.
    record Inside(Placement placement) implements Stage {}

    /// The master has it no longer.
    record Out(WorldAnswer answer, boolean told) implements Stage {}
  }

  private static final class Member {
    final WorkerId worker;
    final long incarnation;
    Stage stage;

    Member(WorkerId worker, long incarnation, Stage stage) {
      this.worker = worker;
      this.incarnation = incarnation;
      this.stage = stage;
    }
  }

  private final String node;
  private final Map<WorkerId, Member> members = new LinkedHashMap<>();
  private final SequencedMap<WorkerId, MeetLeave> leaves = new LinkedHashMap<>();
  private final TreeMap<Long, Reforming> endings = new TreeMap<>();
  private long nextIncarnation;
  private WorldAnswer.@Nullable Closed closed;
  private boolean draining;
  private @Nullable String ending;

  /// @param firstIncarnation higher than any that an earlier agent of this node has given
  WorldBook(String node, long firstIncarnation) {
    this.node = node;
    this.nextIncarnation = firstIncarnation;
  }

  // What processes do.

  /// Processes ask for the world after the one they were in. Asking again changes nothing.
  ///
  /// @return what to say to the master
  List<MeetRequest> asked(Map<WorkerId, Arrival> arrivals) {
    MeetArrive.Builder arrive = MeetArrive.newBuilder();
    arrivals.forEach((worker, arrival) -> {
      if (asked(worker, arrival)) {
        arrive.addMembers(message(member(worker)));
      }
    });
    return arrive.getMembersCount() == 0
        ? List.of()
        : List.of(MeetRequest.newBuilder().setArrive(arrive).build());
  }

  /// Whether the master must be told.
  private boolean asked(WorkerId worker, Arrival arrival) {
    if (ending != null) {
      return false;
    }
    Member known = members.get(worker);
    if (known == null) {
      if (draining) {
        return false;
      }
      join(worker, arrival);
      return true;
    }
    return switch (known.stage) {
      case Stage.Waiting(Arrival before) -> {
        known.stage = new Stage.Waiting(arrival);
        yield !before.equals(arrival);
      }
      case Stage.Inside(Placement placement) -> {
        boolean next = arrival.after() >= placement.version();
        if (next) {
          known.stage = new Stage.Waiting(arrival);
        }
        yield next;
      }
      case Stage.Out(WorldAnswer answer, boolean told) -> {
        boolean again =
            answer instanceof WorldAnswer.Excluded && told && arrival.isFresh() && !draining;
        if (again) {
          join(worker, arrival);
        }
        yield again;
      }
    };
  }

  private void join(WorkerId worker, Arrival arrival) {
    members.put(worker, new Member(worker, nextIncarnation++, new Stage.Waiting(arrival)));
  }

  /// What a process that asked for a world is told now.
  WorldAnswer answer(WorkerId worker) {
    if (ending != null) {
      return new WorldAnswer.Released(ending);
    }
    Member known = members.get(worker);
    if (known == null) {
      return draining ? new WorldAnswer.Released("its node is to go") : new WorldAnswer.Wait();
    }
    return switch (known.stage) {
      case Stage.Waiting _ -> closed == null ? new WorldAnswer.Wait() : closed;
      case Stage.Inside(Placement placement) -> new WorldAnswer.Inside(placement);
      case Stage.Out(WorldAnswer answer, boolean _) -> answer;
    };
  }

  /// A process has been told [#answer].
  void told(WorkerId worker) {
    Member known = members.get(worker);
    if (known != null && known.stage instanceof Stage.Out(WorldAnswer answer, boolean _)) {
      known.stage = new Stage.Out(answer, true);
    }
  }

  /// Whether the world that a process is in is to end.
  Reforming reforming(WorkerId worker, long world) {
    Reforming heard = endings.getOrDefault(world, Reforming.NOT);
    if (ending != null) {
      return heard.or(new Reforming(Reforming.AT_ONCE, ending));
    }
    Member known = members.get(worker);
    if (known == null) {
      return heard;
    }
    return switch (known.stage) {
      case Stage.Waiting _ -> heard;
      case Stage.Inside(Placement placement) ->
          placement.version() > world
              ? heard.or(
                  new Reforming(
                      Reforming.AT_ONCE, "world %d has followed it".formatted(placement.version())))
              : heard;
      case Stage.Out(WorldAnswer answer, boolean _) ->
          heard.or(new Reforming(Reforming.AT_ONCE, why(answer)));
    };
  }

  private static String why(WorldAnswer answer) {
    return switch (answer) {
      case WorldAnswer.Released(String why) -> why;
      case WorldAnswer.Excluded(String why) -> why;
      case WorldAnswer.Closed(boolean _, String why) -> why;
      case WorldAnswer.Inside _, WorldAnswer.Wait _ -> "";
    };
  }

  /// A process is gone.
  List<MeetRequest> left(WorkerId worker, ExitReason reason, String message) {
    Member known = members.remove(worker);
    if (known == null || known.stage instanceof Stage.Out) {
      return List.of();
    }
    MeetLeave leave =
        MeetLeave.newBuilder()
            .setWorker(worker.value())
            .setIncarnation(known.incarnation)
            .setReason(WireReason.of(reason))
            .setMessage(message)
            .build();
    leaves.remove(worker);
    leaves.put(worker, leave);
    if (leaves.size() > MAX_LEAVES) {
      leaves.pollFirstEntry();
    }
    return List.of(MeetRequest.newBuilder().setLeave(leave).build());
  }

  // What becomes of the node.

  /// The node is to go: its processes train on until the master lets each of them go.
  List<MeetRequest> drain() {
    if (draining) {
      return List.of();
    }
    draining = true;
    return drains();
  }

  private List<MeetRequest> drains() {
    List<MeetRequest> words = new ArrayList<>();
    for (Member member : members.values()) {
      if (!(member.stage instanceof Stage.Out)) {
        words.add(
            MeetRequest.newBuilder()
                .setDrain(
                    MeetDrain.newBuilder()
                        .setWorker(member.worker.value())
                        .setIncarnation(member.incarnation))
                .build());
      }
    }
    return words;
  }

  /// The node ends now, and with it all its members; whoever asks for a world is told to go.
  List<MeetRequest> end(String why) {
    if (ending != null) {
      return List.of();
    }
    ending = why;
    List<MeetRequest> words = new ArrayList<>();
    for (WorkerId worker : List.copyOf(members.keySet())) {
      words.addAll(left(worker, ExitReason.KILLED, why));
    }
    return words;
  }

  // The stream.

  /// Whether there is anything that the master should know.
  boolean needsStream() {
    return !members.isEmpty() || !leaves.isEmpty();
  }

  /// The first words of a stream: what each process does now, and all that may not have arrived.
  List<MeetRequest> opening() {
    MeetOpen.Builder open = MeetOpen.newBuilder().setNode(node);
    for (Member member : members.values()) {
      if (!(member.stage instanceof Stage.Out)) {
        open.addMembers(message(member));
      }
    }
    List<MeetRequest> words = new ArrayList<>();
    words.add(MeetRequest.newBuilder().setOpen(open).build());
    leaves.values().forEach(leave -> words.add(MeetRequest.newBuilder().setLeave(leave).build()));
    if (draining) {
      words.addAll(drains());
    }
    return words;
  }

  private static dev.pliant.protocol.v1.Member message(Member member) {
    dev.pliant.protocol.v1.Member.Builder message =
        dev.pliant.protocol.v1.Member.newBuilder()
            .setWorker(member.worker.value())
            .setIncarnation(member.incarnation);
    switch (member.stage) {
      case Stage.Waiting(Arrival(long after, boolean holdsState, String address)) ->
          message.setAfter(after).setHoldsState(holdsState).setAddress(address);
      case Stage.Inside(Placement placement) -> message.setWorld(placement.version());
      case Stage.Out _ -> {}
    }
    return message.build();
  }

  /// Takes note of what the master says.
  void heard(MeetResponse response) {
    switch (response.getWordCase()) {
      case WORLD -> world(response.getWorld());
      case REFORM -> reform(response.getReform());
      case EXCLUDED -> excluded(response.getExcluded());
      case CLOSED ->
          closed =
              new WorldAnswer.Closed(
                  response.getClosed().getComplete(), response.getClosed().getWhy());
      case WORD_NOT_SET -> {} // A newer master's word, which this agent does not know.
    }
  }

  private void world(World world) {
    List<Rank> ranks = new ArrayList<>(world.getRanksList());
    ranks.sort(Comparator.comparingInt(Rank::getRank));
    for (int local = 0; local < ranks.size(); local++) {
      Rank rank = ranks.get(local);
      Optional<Member> member = find(rank.getWorker(), rank.getIncarnation());
      if (member.isPresent()
          && member.get().stage instanceof Stage.Waiting(Arrival arrival)
          && world.getVersion() > arrival.after()) {
        member.get().stage = new Stage.Inside(placement(world, rank.getRank(), local));
      }
    }
  }

  private static Placement placement(World world, int rank, int local) {
    return new Placement(
        world.getVersion(),
        rank,
        world.getSize(),
        local,
        world.getRanksCount(),
        world.getNodeRank(),
        world.getNodes(),
        world.getAddress(),
        world.getMaxSize());
  }

  private void reform(Reform reform) {
    Reforming heard =
        new Reforming(
            reform.getAbort() ? Reforming.AT_ONCE : Reforming.AT_BOUNDARY, reform.getWhy());
    endings.merge(reform.getVersion(), heard, Reforming::or);
    if (endings.size() > MAX_ENDINGS) {
      endings.pollFirstEntry();
    }
  }

  private void excluded(Excluded word) {
    find(word.getWorker(), word.getIncarnation())
        .filter(member -> !(member.stage instanceof Stage.Out))
        .ifPresent(member ->
            member.stage =
                new Stage.Out(
                    word.getReleased()
                        ? new WorldAnswer.Released(word.getWhy())
                        : new WorldAnswer.Excluded(word.getWhy()),
                    false));
  }

  private Optional<Member> find(String worker, long incarnation) {
    return members.values().stream()
        .filter(member -> member.incarnation == incarnation && member.worker.value().equals(worker))
        .findFirst();
  }

  private Member member(WorkerId worker) {
    Member known = members.get(worker);
    if (known == null) {
      throw new IllegalStateException("no member " + worker);
    }
    return known;
  }

  /// The processes that are members.
  List<WorkerId> members() {
    return members.values().stream()
        .filter(member -> !(member.stage instanceof Stage.Out))
        .map(member -> member.worker)
        .toList();
  }
}
