package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.Rendezvous.Exclusion;
import dev.pliant.model.NodeId;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// What one agent is yet to be told, on one stream: what follows from the newest [Meeting] and from
/// what the agent knows by its own words and by what it was told. So it is told the latest, once,
/// and never a backlog, however slowly it reads.
public final class Telling {
  /// A message to an agent.
  public sealed interface Word {
    record Formed(World world, World.Share share) implements Word {}

    record Ends(Meeting.Reform reform) implements Word {}

    record Out(Exclusion exclusion) implements Word {}

    record Closed(Meeting.Ending ending) implements Word {}
  }

  private final NodeId node;

  private final Map<MemberId, Known> known = new LinkedHashMap<>();

  /// What a member knows.
  ///
  /// @param world the newest world it knows of
  /// @param training whether it trains in that one; else it waits for the next
  private record Known(long world, boolean training) {}

  private final Map<MemberId, Exclusion> excluded = new LinkedHashMap<>();
  private long toldReform;
  private boolean toldAbort;
  private boolean toldClosed;
  private Meeting.@Nullable Ending closed;

  public Telling(NodeId node) {
    this.node = node;
  }

  /// The agent says what a member does: it knows of no world after that.
  public void says(Standing said) {
    known.put(said.id(), new Known(Math.max(said.world(), said.after()), !said.waits()));
  }

  /// The agent says that a member is gone.
  public void left(MemberId member) {
    known.remove(member);
  }

  /// How many members it is about.
  public int members() {
    return known.size();
  }

  /// A member is out.
  public void exclude(Exclusion exclusion) {
    excluded.put(exclusion.member(), exclusion);
  }

  /// A member waits although there will be no further world.
  public void close(Meeting.Ending ending) {
    closed = ending;
    toldClosed = false;
  }

  /// The next word, which counts as told; null where the agent knows everything.
  public @Nullable Word next(Meeting meeting) {
    if (!excluded.isEmpty()) {
      Exclusion first = excluded.values().iterator().next();
      excluded.remove(first.member());
      known.remove(first.member());
      return new Word.Out(first);
    }
    World world = meeting.world();
    World.Share share = world == null ? null : world.share(node);
    if (world != null && share != null) {
      if (isNews(world, share)) {
        Known now = new Known(world.version(), true);
        share.members().forEach(ranked -> known.replace(ranked.member(), now));
        return new Word.Formed(world, share);
      }
      Meeting.Reform reform = meeting.reform();
      if (reform != null && isNews(reform, share)) {
        toldReform = reform.version();
        toldAbort = reform.abort();
        return new Word.Ends(reform);
      }
    }
    Word behind = world == null ? null : behind(world);
    return behind == null ? closing(meeting.ending()) : behind;
  }

  /// A member that trains in a world before the newest one, and is not in that: it was given up,
  /// and may not have noticed.
  private @Nullable Word behind(World world) {
    for (Map.Entry<MemberId, Known> entry : known.entrySet()) {
      Known now = entry.getValue();
      if (now.training() && now.world() < world.version()) {
        known.remove(entry.getKey());
        return new Word.Out(
            new Exclusion(
                entry.getKey(), false, "world %d ended without it".formatted(now.world())));
      }
    }
    return null;
  }

  private @Nullable Word closing(Meeting.@Nullable Ending ending) {
    Meeting.Ending news = ending != null && ending.waiting().contains(node) ? ending : closed;
    if (news == null || toldClosed) {
      return null;
    }
    toldClosed = true;
    return new Word.Closed(news);
  }

  /// Whoever has come out of the world need not be told that it ends.
  private boolean isNews(Meeting.Reform reform, World.Share share) {
    if (toldReform >= reform.version() && (toldAbort || !reform.abort())) {
      return false;
    }
    Known inIt = new Known(reform.version(), true);
    return share.members().stream().anyMatch(ranked -> inIt.equals(known.get(ranked.member())));
  }

  private boolean isNews(World world, World.Share share) {
    for (World.Ranked ranked : share.members()) {
      // Of one that has left the agent wants to hear no more.
      Known knows = known.get(ranked.member());
      if (knows != null && knows.world() < world.version()) {
        return true;
      }
    }
    return false;
  }
}
