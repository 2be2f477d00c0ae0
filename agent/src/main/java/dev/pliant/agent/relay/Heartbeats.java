package dev.pliant.agent.relay;

import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.HeartbeatRequest;
import dev.pliant.protocol.v1.HeartbeatResponse;
import dev.pliant.protocol.v1.NodeUsage;
import dev.pliant.rpc.MasterCalls;
import dev.pliant.rpc.MasterTrouble;
import dev.pliant.rpc.Retries;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Signs of life for this node and its workers, often enough that none is thought lost, with what
/// they use. Also the first to notice that the master is away, or stands somewhere else.
public final class Heartbeats implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Heartbeats.class);

  /// A master that takes longer may be stopped, and another in its place.
  private static final Duration DEADLINE = Duration.ofSeconds(5);

  private static final Duration SHORTEST = Duration.ofMillis(50);

  private static final int BEATS_PER_TIMEOUT = 3;

  /// The node that speaks, where a platform started it.
  ///
  /// @param name the node's name
  /// @param usage what its processes use, asked at each beat
  /// @param givenUp run when the master has given the node up
  public record Speaker(String name, Supplier<NodeUsage> usage, Runnable givenUp) {}

  private final WorkerRoster roster;
  private final Optional<Speaker> speaker;
  private final MasterCalls calls;
  private final Duration every;
  private final Retries retries;
  private final LongSupplier nanoTime;
  private final Thread thread;
  private boolean away;
  private long answeredAt;
  private Duration timeout = Duration.ofDays(1);

  private Heartbeats(
      WorkerRoster roster,
      Optional<Speaker> speaker,
      MasterCalls calls,
      Duration every,
      LongSupplier nanoTime) {
    this.roster = roster;
    this.speaker = speaker;
    this.calls = calls;
    this.every = every;
    this.nanoTime = nanoTime;
    this.answeredAt = nanoTime.getAsLong();
    this.retries = calls.newRetries();
    this.thread = Thread.ofVirtual().name("pliant-heartbeats").unstarted(this::run);
  }

  /// Begins.
  ///
  /// @param every how often at least; oftener where the master asks for it
  public static Heartbeats start(
      WorkerRoster roster,
      Optional<Speaker> speaker,
      MasterCalls calls,
      Duration every,
      LongSupplier nanoTime) {
    Heartbeats heartbeats = new Heartbeats(roster, speaker, calls, every, nanoTime);
    heartbeats.thread.start();
    return heartbeats;
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    Duration wait = speaker.isPresent() ? SHORTEST : every;
    while (!Thread.currentThread().isInterrupted()) {
      try {
        if (!away) {
          Thread.sleep(wait);
        } else if (calls.pause(wait)) {
          retries.reset();
        }
      } catch (InterruptedException _) {
        return;
      }
      List<WorkerId> live = roster.live();
      if (live.isEmpty() && speaker.isEmpty()) {
        answeredAt = nanoTime.getAsLong();
        wait = every;
      } else {
        wait = beat(live);
      }
    }
  }

  /// One sign of life; says when the next is due.
  private Duration beat(List<WorkerId> live) {
    HeartbeatRequest.Builder message = HeartbeatRequest.newBuilder();
    live.forEach(worker -> message.addWorkers(worker.value()));
    speaker.ifPresent(node -> message.setNode(node.name()).setUsage(node.usage().get()));
    try {
      HeartbeatResponse response = calls.master().jobs(DEADLINE).heartbeat(message.build());
      back();
      if (silentForTooLong()) {
        roster.givenUp(message.getWorkersList());
      } else if (response.getLostCount() > 0) {
        roster.givenUp(response.getLostList());
      }
      if (response.getNodeGone()) {
        speaker.ifPresent(node -> node.givenUp().run());
      }
      return interval(response.getTimeoutMs());
    } catch (RuntimeException e) {
      MasterTrouble trouble = MasterTrouble.of(e);
      calls.master().refresh();
      if (!away && !Thread.currentThread().isInterrupted()) {
        away = true;
        log.warn(
            "the master does not answer: {} Training goes on; trying again until it does.",
            trouble.error().getMessage());
      }
      return retries.next(trouble.retryAfter());
    }
  }

  private void back() {
    retries.reset();
    if (away) {
      away = false;
      log.info("the master answers again, epoch {}", calls.master().epoch());
    }
  }

  /// Whether this agent itself stood still for so long that the master must have given its workers
  /// up, though another of their calls may have made it forget that.
  private boolean silentForTooLong() {
    long now = nanoTime.getAsLong();
    boolean silent = now - answeredAt > timeout.toNanos();
    answeredAt = now;
    return silent;
  }

  private Duration interval(int timeoutMillis) {
    if (timeoutMillis <= 0) {
      return every;
    }
    timeout = Duration.ofMillis(timeoutMillis);
    Duration third = timeout.dividedBy(BEATS_PER_TIMEOUT);
    Duration shorter = third.compareTo(every) < 0 ? third : every;
    return shorter.compareTo(SHORTEST) < 0 ? SHORTEST : shorter;
  }
}
