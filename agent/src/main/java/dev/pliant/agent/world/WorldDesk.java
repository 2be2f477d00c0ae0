package dev.pliant.agent.world;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.MeetRequest;
import dev.pliant.protocol.v1.MeetResponse;
import dev.pliant.rpc.MasterCalls;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterStream;
import dev.pliant.rpc.MasterTrouble;
import dev.pliant.rpc.Retries;
import io.grpc.Status;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Where this node's processes get their worlds: holds the node's one `Meet` stream, opened again
/// for as long as there is anybody to speak for, and carries out what [WorldBook] decides. A thread
/// of its own owns all state and is fed events.
public final class WorldDesk {
  private static final Logger log = LoggerFactory.getLogger(WorldDesk.class);

  private static final long FOR_EVER = Long.MAX_VALUE / 4;

  /// More than can be on their way at once: a request a connection, and the master's few words.
  private static final int CAPACITY = 8_192;

  private final MasterCalls calls;
  private final Duration answerWithin;
  private final LongSupplier nanoTime;
  private final Consumer<WorldView> follower;
  private final WorldBook book;
  private final WaitingProcesses waiting;
  private final Retries retries;
  private final BlockingQueue<WorldEvent> inbox = new LinkedBlockingQueue<>(CAPACITY);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Map<WorkerId, Arrival> arrivals = new LinkedHashMap<>();
  private volatile List<WorkerId> members = List.of();
  private volatile boolean over;

  private @Nullable MasterStream<MeetRequest, MeetResponse> stream;
  private long tryAt;

  /// Where the master was when the stream was last opened.
  private long moves;

  private boolean said;
  private @Nullable WorldView view;
  private long closeAt = -1;
  private boolean closing;

  private WorldDesk(
      String node,
      long firstIncarnation,
      MasterCalls calls,
      Duration answerWithin,
      LongSupplier nanoTime,
      Consumer<WorldView> follower) {
    this.calls = calls;
    this.answerWithin = answerWithin;
    this.nanoTime = nanoTime;
    this.follower = follower;
    this.book = new WorldBook(node, firstIncarnation);
    this.waiting = new WaitingProcesses(book);
    this.retries = calls.newRetries();
    this.tryAt = nanoTime.getAsLong();
  }

  /// Begins; the master is spoken to once somebody asks for a world.
  ///
  /// @param firstIncarnation higher than any that an earlier agent of this node has given
  /// @param answerWithin how long a process waits before it is told to ask again
  /// @param follower told of what [#arrive] led to, whenever that changes; must not block
  public static WorldDesk start(
      String node,
      long firstIncarnation,
      MasterCalls calls,
      Duration answerWithin,
      LongSupplier nanoTime,
      Consumer<WorldView> follower) {
    WorldDesk desk = new WorldDesk(node, firstIncarnation, calls, answerWithin, nanoTime, follower);
    Thread.ofVirtual().name("pliant-world").start(desk::run);
    return desk;
  }

  // What others ask of it.

  /// The world after the one that a process was in.
  public CompletableFuture<WorldAnswer> ask(long connection, WorkerId worker, Arrival arrival) {
    CompletableFuture<WorldAnswer> answer = new CompletableFuture<>();
    tell(new WorldEvent.Asked(connection, worker, arrival, answer));
    return answer;
  }

  /// That a world is to end, once it is; [Reforming#NOT] for ask again.
  ///
  /// @param seen the level that the process has heard of already
  public CompletableFuture<Reforming> watch(
      long connection, WorkerId worker, long world, int seen) {
    CompletableFuture<Reforming> answer = new CompletableFuture<>();
    tell(new WorldEvent.Watched(connection, worker, world, seen, answer));
    return answer;
  }

  /// The agent waits for a world for these processes, all at once.
  public void arrive(Map<WorkerId, Arrival> all) {
    tell(new WorldEvent.Arrived(new LinkedHashMap<>(all))); // In their order: ranks follow it.
  }

  /// Nobody waits at that connection any more.
  public void gone(long connection) {
    tell(new WorldEvent.Gone(connection));
  }

  /// A process is gone; its peers wait for this word.
  public void left(WorkerId worker, ExitReason reason, String message) {
    tell(new WorldEvent.Left(worker, reason, message));
  }

  /// The node is to go: the next world is without its processes, which train on until then.
  public void drain() {
    tell(new WorldEvent.Drained());
  }

  /// The node ends, and all its processes.
  public void end(String why) {
    tell(new WorldEvent.Ending(why));
  }

  /// The processes that the master counts as members.
  public List<WorkerId> members() {
    return members;
  }

  /// Stops, having said what was to be said if the master hears it in time.
  public void close(Duration within) throws InterruptedException {
    tell(new WorldEvent.Closing(nanoTime.getAsLong() + within.toNanos()));
    if (!ended.await(2 * within.toMillis() + 1_000, TimeUnit.MILLISECONDS)) {
      log.warn("the stream of worlds did not end in time");
    }
  }

  private void tell(WorldEvent event) {
    if (!inbox.offer(event)) {
      refuse(event, "more is asked of the agent than it can keep in mind");
    } else if (over) {
      refuseAll();
    }
  }

  // The owner thread.

  private void run() {
    try {
      while (!over) {
        WorldEvent event = inbox.poll(step(nanoTime.getAsLong()), TimeUnit.NANOSECONDS);
        while (event != null) {
          handle(event, nanoTime.getAsLong());
          event = inbox.poll();
        }
      }
    } catch (InterruptedException _) {
      log.debug("the stream of worlds was interrupted");
    } catch (RuntimeException e) {
      log.error("the stream of worlds is ended by a defect", e);
    } finally {
      over = true;
      if (stream != null) {
        stream.cancel("the agent is stopping");
      }
      waiting.fail(stopping());
      refuseAll();
      ended.countDown();
    }
  }

  private void handle(WorldEvent event, long now) {
    switch (event) {
      case WorldEvent.Asked asked -> {
        say(book.asked(Map.of(asked.worker(), asked.arrival())));
        waiting.add(asked, now + answerWithin.toNanos());
      }
      case WorldEvent.Watched watched -> waiting.add(watched, now + answerWithin.toNanos());
      case WorldEvent.Arrived(var all) -> {
        arrivals.putAll(all);
        say(book.asked(all));
        view = null;
      }
      case WorldEvent.Gone(long connection) -> waiting.gone(connection);
      case WorldEvent.Left(var worker, var reason, var message) ->
          say(book.left(worker, reason, message));
      case WorldEvent.Drained() -> say(book.drain());
      case WorldEvent.Ending(var why) -> say(book.end(why));
      case WorldEvent.Closing(long deadline) -> {
        closing = true;
        closeAt = deadline;
        if (stream != null) {
          stream.close();
        }
      }
      case WorldEvent.FromMaster(var heard) -> {
        if (heard.stream() == stream) {
          fromMaster(heard, now);
        }
      }
    }
  }

  /// What cannot be said now is in the first words of the next stream.
  private void say(List<MeetRequest> words) {
    MasterStream<MeetRequest, MeetResponse> open = stream;
    if (open != null && !closing) {
      words.forEach(open::send);
    }
  }

  /// Does all that can be done now.
  ///
  /// @return how long nothing more will be to do unless something happens
  private long step(long now) {
    waiting.answer(now);
    tellFollower();
    members = book.members();
    keepStream(now);
    if (closing && (now - closeAt >= 0 || !book.needsStream() || (said && stream == null))) {
      over = true;
    }
    return over ? 0 : Math.max(0, nextTime(now) - now);
  }

  private void keepStream(long now) {
    if (stream == null
        && book.needsStream()
        && !(closing && said)
        && (now - tryAt >= 0 || calls.master().look() != moves)) {
      moves = calls.master().moves();
      said = true;
      MasterStream<MeetRequest, MeetResponse> opened =
          MasterStream.open(
              answers -> calls.master().rendezvousAsync().meet(answers),
              heard -> tell(new WorldEvent.FromMaster(heard)));
      stream = opened;
      book.opening().forEach(opened::send);
      if (closing) {
        opened.close();
      }
    }
  }

  private long nextTime(long now) {
    long time = waiting.nextDeadline(now + FOR_EVER);
    if (closing) {
      time = Math.min(time, closeAt);
    }
    if (stream == null && book.needsStream()) {
      time = Math.min(time, Math.min(tryAt, now + MasterConnection.LOOK.toNanos()));
    }
    return time;
  }

  private void tellFollower() {
    if (arrivals.isEmpty()) {
      return;
    }
    Map<WorkerId, WorldAnswer> answers = new LinkedHashMap<>();
    Reforming reforming = Reforming.NOT;
    for (WorkerId worker : arrivals.keySet()) {
      WorldAnswer answer = book.answer(worker);
      answers.put(worker, answer);
      if (answer instanceof WorldAnswer.Inside(Placement placement)) {
        reforming = reforming.or(book.reforming(worker, placement.version()));
      }
    }
    WorldView now = new WorldView(answers, reforming);
    if (!now.equals(view)) {
      view = now;
      arrivals.keySet().forEach(book::told);
      follower.accept(now);
    }
  }

  // What the master says.

  private void fromMaster(MasterStream.Heard<MeetRequest, MeetResponse> heard, long now) {
    switch (heard) {
      case MasterStream.Heard.Said<MeetRequest, MeetResponse>(var from, var response) -> {
        try {
          book.heard(response);
          retries.reset();
        } catch (IllegalArgumentException e) {
          from.cancel("a word that makes no sense");
          ended(
              Status.INTERNAL
                  .withDescription("the master's word makes no sense: " + e.getMessage() + ".")
                  .asRuntimeException(),
              now);
        }
      }
      case MasterStream.Heard.Ended<MeetRequest, MeetResponse>(var _, var why) -> ended(why, now);
    }
  }

  private void ended(Throwable why, long now) {
    stream = null;
    if (closing) {
      return;
    }
    MasterTrouble trouble = MasterTrouble.of(why);
    calls.master().refresh();
    boolean moved = calls.master().moves() != moves;
    Duration wait = moved ? trouble.retryAfter() : retries.next(trouble.retryAfter());
    tryAt = now + wait.toNanos();
    if (trouble.kind() == MasterTrouble.Kind.REFUSED && waiting.anybodyAsks()) {
      waiting.fail(trouble.error());
    }
    log.debug("the stream of worlds: {}; opening again in {}", trouble.error().getMessage(), wait);
  }

  // The end.

  private void refuseAll() {
    WorldEvent event = inbox.poll();
    while (event != null) {
      refuse(event, "the agent is stopping");
      event = inbox.poll();
    }
  }

  private static void refuse(WorldEvent event, String why) {
    switch (event) {
      case WorldEvent.Asked asked ->
          asked.answer().completeExceptionally(new PliantException(ErrorCode.STOPPING, why + "."));
      case WorldEvent.Watched watched ->
          watched
              .answer()
              .completeExceptionally(new PliantException(ErrorCode.STOPPING, why + "."));
      case WorldEvent.Arrived _,
          WorldEvent.Gone _,
          WorldEvent.Left _,
          WorldEvent.Drained _,
          WorldEvent.Ending _,
          WorldEvent.Closing _,
          WorldEvent.FromMaster _ -> {}
    }
  }

  private static PliantException stopping() {
    return new PliantException(ErrorCode.STOPPING, "the agent is stopping.");
  }
}
