package dev.pliant.machine.rendezvous;

import dev.pliant.machine.rendezvous.Rendezvous.Exclusion;
import dev.pliant.model.ExitReason;
import dev.pliant.model.NodeId;
import dev.pliant.model.WorkerId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A node with one training process, as its agent and that process behave by the protocol.
final class SimulatedNode {
  private enum Process {
    WAITS,
    TRAINS,
    ENDED
  }

  private final SimulatedJob job;
  private final NodeId node;
  private final WorkerId worker;

  // The agent.
  private boolean agentLives = true;
  private int stream;
  private boolean streamUp;
  private boolean opening;
  private Telling telling;
  private long lastDelivery;
  private Meeting.@Nullable Reform toldReform;

  // The process.
  private Process process = Process.WAITS;
  private long incarnation = 1;
  private boolean stopped;
  private int stops;
  private boolean hung;
  private boolean holdsState;
  private long world;
  private long after;
  private boolean reform;
  private boolean draining;
  private boolean toldClosed;
  private boolean excluded;
  private boolean comesOutOnceAwake;
  private @Nullable World undelivered;

  SimulatedNode(SimulatedJob job, int number) {
    this.job = job;
    this.node = new NodeId("worker", number);
    this.worker = new WorkerId("worker-" + number);
    this.telling = new Telling(node);
  }

  void start() {
    connect();
  }

  // What others see.

  boolean isStream(int number) {
    return streamUp && stream == number;
  }

  Telling telling() {
    return telling;
  }

  boolean isStopped() {
    return stopped;
  }

  /// Whether it neither works nor ends, and nobody but its peers can tell.
  boolean isHung() {
    return isLive() && hung;
  }

  boolean isLive() {
    return process != Process.ENDED;
  }

  /// Whether it can take part: it lives, runs, and was not told to go.
  boolean isAble() {
    return isLive() && !stopped && !draining;
  }

  boolean trainsIn(long version) {
    return process == Process.TRAINS && world == version;
  }

  boolean heardReform() {
    return reform;
  }

  boolean waits() {
    return process == Process.WAITS;
  }

  boolean knowsItIsClosed() {
    return toldClosed;
  }

  boolean holdsState() {
    return holdsState;
  }

  MemberId id() {
    return new MemberId(worker, incarnation);
  }

  @Override
  public String toString() {
    return "%s#%d(%s%s%s world %d)"
        .formatted(
            worker,
            incarnation,
            process,
            stopped ? " stopped" : "",
            draining ? " draining" : "",
            world);
  }

  // The agent's stream.

  private void connect() {
    if (!agentLives || opening || streamUp) {
      return;
    }
    opening = true;
    job.after(
        job.between(1, 200),
        () -> {
          opening = false;
          if (!agentLives) {
            return;
          }
          if (!job.masterUp) {
            job.after(job.between(100, 1_500), this::connect);
            return;
          }
          streamUp = true;
          stream++;
          telling = new Telling(node);
          opened = false;
          lastDelivery = job.now;
          List<Standing> standings = isLive() ? List.of(standing()) : List.of();
          standings.forEach(telling::says);
          send(state -> Rendezvous.open(state, node, standings));
        });
  }

  private boolean opened;

  void opened() {
    opened = true;
  }

  void loseStream() {
    if (streamUp) {
      streamUp = false;
      job.after(job.between(10, 1_500), this::connect);
    }
  }

  private Standing standing() {
    return process == Process.TRAINS
        ? Standing.trains(id(), world)
        : Standing.waits(id(), after, holdsState, "h:" + (1 + incarnation));
  }

  /// Words of one stream stay in order, and those under way when it breaks are lost.
  private void send(SimulatedJob.Word word) {
    if (!streamUp) {
      return;
    }
    int on = stream;
    lastDelivery = Math.max(lastDelivery, job.now + job.between(0, 30));
    job.after(lastDelivery - job.now, () -> job.hear(this, on, word));
    if (job.random.nextInt(20) == 0) {
      repeatLate(word);
    }
  }

  /// A word that arrives a second time, long after: of a stream that is no more, it may only repeat
  /// what has been said.
  private void repeatLate(SimulatedJob.Word word) {
    if (opened) {
      job.after(job.between(1, 8_000), () -> job.hearLate(word));
    }
  }

  void hearFromMaster(Meeting meeting) {
    if (!streamUp || !opened) {
      return;
    }
    int on = stream;
    for (Telling.Word word = telling.next(meeting); word != null; word = telling.next(meeting)) {
      Telling.Word told = word;
      lastDelivery = Math.max(lastDelivery, job.now + job.between(0, 30));
      job.after(
          lastDelivery - job.now,
          () -> {
            if (isStream(on) && agentLives) {
              told(told);
            }
          });
    }
  }

  private void told(Telling.Word word) {
    switch (word) {
      case Telling.Word.Formed(World formed, World.Share share) -> {
        for (World.Ranked ranked : share.members()) {
          if (ranked.member().equals(id())) {
            formed(formed);
          }
        }
      }
      case Telling.Word.Ends(Meeting.Reform wanted) -> {
        toldReform = wanted;
        ends();
      }
      case Telling.Word.Out(Exclusion out) -> {
        if (out.member().equals(id())) {
          excluded(out.released());
        }
      }
      case Telling.Word.Closed _ -> toldClosed = true;
    }
  }

  // The process.

  /// The process hears of what its agent was told, if that is of its world.
  private void ends() {
    Meeting.Reform wanted = toldReform;
    if (wanted == null || !trainsIn(wanted.version())) {
      return;
    }
    reform = true;
    if (wanted.abort()) {
      job.after(job.between(1, 200), () -> comeOut(wanted.version()));
    } else {
      job.group(world).look();
    }
  }

  private void formed(World formed) {
    if (process != Process.WAITS || formed.version() <= after || excluded) {
      return;
    }
    if (stopped) {
      undelivered = formed;
      return;
    }
    process = Process.TRAINS;
    world = formed.version();
    reform = false;
    SimulatedGroup group = job.group(world);
    group.join(this, formed.size());
    ends();
  }

  void takeState() {
    holdsState = true;
  }

  /// The process leaves the group of a world and waits for the next.
  void comeOut(long version) {
    if (!trainsIn(version)) {
      return;
    }
    if (stopped) {
      comesOutOnceAwake = true;
      return;
    }
    after = version;
    process = Process.WAITS;
    job.group(version).look();
    Standing standing = standing();
    telling.says(standing);
    send(state -> Rendezvous.arrive(state, node, List.of(standing)));
  }

  private void excluded(boolean released) {
    if (!isLive()) {
      return;
    }
    if (released) {
      job.say("%s is released", this);
      end(ExitReason.SUCCEEDED);
    } else if (stopped) {
      excluded = true;
    } else {
      beginAgain();
    }
  }

  /// As a new one: a later life, without state.
  private void beginAgain() {
    long left = world;
    boolean trained = process == Process.TRAINS;
    incarnation++;
    excluded = false;
    comesOutOnceAwake = false;
    undelivered = null;
    process = Process.WAITS;
    after = 0;
    world = 0;
    holdsState = false;
    job.say("%s begins again", this);
    if (trained) {
      job.group(left).look();
    }
    if (draining) {
      end(ExitReason.SUCCEEDED);
      return;
    }
    Standing standing = standing();
    telling.says(standing);
    send(state -> Rendezvous.arrive(state, node, List.of(standing)));
  }

  private void end(ExitReason reason) {
    if (!isLive()) {
      return;
    }
    boolean trained = process == Process.TRAINS;
    MemberId last = id();
    process = Process.ENDED;
    job.say("%s ended: %s", this, reason);
    if (trained) {
      job.group(world).look();
    }
    if (agentLives) {
      telling.left(last);
      send(
          state -> new Rendezvous.Met(Rendezvous.leave(state, last, reason, ""), List.of(), false));
    } else {
      job.fallSilent(last, () -> true);
    }
  }

  // What befalls it.

  void killProcess() {
    end(ExitReason.KILLED);
  }

  void killNode() {
    if (agentLives) {
      job.say("%s is killed with its agent", this);
      agentLives = false;
      streamUp = false;
      if (isLive()) {
        end(ExitReason.KILLED);
      } else {
        // The word that its process ended may have died with it.
        job.fallSilent(id(), () -> true);
      }
    }
  }

  void finish() {
    if (process == Process.TRAINS && !stopped && job.group(world).isWhole()) {
      end(ExitReason.SUCCEEDED);
    }
  }

  /// It is stopped from outside, which its agent sees.
  void stop() {
    stop(true);
  }

  /// It hangs by itself: its agent sees a process that lives, and speaks for it.
  void hang() {
    stop(false);
  }

  private void stop(boolean seen) {
    if (isLive() && !stopped) {
      stopped = true;
      hung = !seen;
      job.say("%s is %s", this, seen ? "stopped" : "hung");
      int stop = ++stops;
      if (seen) {
        job.fallSilent(id(), () -> stopped && stops == stop);
      }
      if (process == Process.TRAINS) {
        job.group(world).look();
      }
    }
  }

  void wake() {
    if (!isLive() || !stopped) {
      return;
    }
    stopped = false;
    hung = false;
    job.say("%s wakes", this);
    MemberId spokenFor = id();
    job.after(job.between(1, 5_000), () -> hearByHeartbeat(spokenFor));
    if (excluded) {
      beginAgain();
    } else if (comesOutOnceAwake) {
      comesOutOnceAwake = false;
      comeOut(world);
    } else if (undelivered != null && process == Process.WAITS) {
      World formed = undelivered;
      undelivered = null;
      formed(formed);
    } else if (process == Process.TRAINS) {
      job.group(world).look();
    }
  }

  private void hearByHeartbeat(MemberId spokenFor) {
    if (agentLives && isLive() && id().equals(spokenFor)) {
      if (!job.masterUp) {
        job.after(1_000, () -> hearByHeartbeat(spokenFor));
      } else if (job.isGivenUp(spokenFor)) {
        excluded(false);
      }
    }
  }

  void drain() {
    if (isLive() && agentLives && !draining) {
      draining = true;
      job.say("%s is to go", this);
      sendDrain();
    }
  }

  /// An agent that is to drain says so until it has gone: its word may be lost with a stream.
  private void sendDrain() {
    if (isLive() && agentLives) {
      MemberId member = id();
      send(state -> Rendezvous.drain(state, member));
      job.after(2_000, this::sendDrain);
    }
  }
}
