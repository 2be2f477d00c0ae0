package dev.pliant.agent.relay;

import dev.pliant.agent.socket.Answer;
import dev.pliant.model.DatasetName;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.WorkRequest;
import dev.pliant.protocol.v1.WorkResponse;
import dev.pliant.rpc.MasterCalls;
import dev.pliant.rpc.MasterConnection;
import dev.pliant.rpc.MasterStream;
import dev.pliant.rpc.MasterTrouble;
import dev.pliant.rpc.Retries;
import io.grpc.Status;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One worker on one dataset: leases ahead of it, reports behind it, and opens its stream to the
/// master again for as long as the worker lives. A thread of its own owns all state and is fed
/// events; [LeaseBook] decides what is said.
final class Relay {
  private static final Logger log = LoggerFactory.getLogger(Relay.class);

  private static final long FOR_EVER = Long.MAX_VALUE / 4;

  /// How long a relay waits for what.
  ///
  /// @param answer before a process is told to ask again
  /// @param silence before a stream whose messages are not answered is given up
  record Patience(Duration answer, Duration silence) {}

  private final WorkerId worker;
  private final DatasetName dataset;
  private final MasterCalls calls;
  private final Patience patience;
  private final LongSupplier nanoTime;
  private final CompletableFuture<?> after;
  private final LeaseBook book;
  private final WaitingRequests waiting;
  private final Retries retries;
  private final RelayInbox inbox = new RelayInbox(this::refuse);
  private final CompletableFuture<Void> finished = new CompletableFuture<>();

  private @Nullable MasterStream<WorkRequest, WorkResponse> stream;
  private long heardAt;
  private long tryAt;

  /// Where the master was when the stream was last opened.
  private long moves;

  private int tries;

  /// Whether anything was asked since the master last refused to have it.
  private boolean needed;

  private boolean finishing;
  private @Nullable PliantException untold;

  /// Whether it is over with nothing left to deliver.
  private volatile boolean delivered;

  private boolean over;

  /// @param after what must have happened before the master is spoken to
  Relay(
      WorkerId worker,
      DatasetName dataset,
      MasterCalls calls,
      int leaseAhead,
      Patience patience,
      LongSupplier nanoTime,
      CompletableFuture<?> after) {
    this.worker = worker;
    this.dataset = dataset;
    this.calls = calls;
    this.patience = patience;
    this.nanoTime = nanoTime;
    this.after = after;
    this.book = new LeaseBook(dataset.value(), leaseAhead);
    this.waiting = new WaitingRequests(book);
    this.retries = calls.newRetries();
    this.tryAt = nanoTime.getAsLong();
  }

  void start() {
    Thread.ofVirtual().name("pliant-relay-" + worker + "-" + dataset).start(this::run);
    var _ = after.whenComplete((_, _) -> inbox.tell(new RelayEvent.Wake()));
  }

  // What others ask of it.

  /// The next shard, or that there is none, or none yet.
  CompletableFuture<Answer> next(long connection) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    inbox.tell(new RelayEvent.Asked(connection, answer));
    return answer;
  }

  /// Takes reports; the answer says that they are kept until the master has them.
  CompletableFuture<Answer> report(long connection, List<ShardReport> reports) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    inbox.tell(new RelayEvent.Reported(connection, reports, answer));
    return answer;
  }

  /// Whether the master has every report up to now.
  CompletableFuture<Answer> flush(long connection, Duration within) {
    CompletableFuture<Answer> answer = new CompletableFuture<>();
    inbox.tell(new RelayEvent.FlushAsked(connection, within, answer));
    return answer;
  }

  /// A connection is gone.
  ///
  /// @param worksOn whether the worker has others; what this one had in hand then goes back at once
  void gone(long connection, boolean worksOn) {
    inbox.tell(new RelayEvent.Gone(connection, worksOn));
  }

  /// The worker ends: gives back what is ahead, delivers every report, stops.
  CompletableFuture<Void> finish() {
    inbox.tell(new RelayEvent.Finish());
    return finished;
  }

  /// Stops now, delivered or not.
  void abort() {
    inbox.tell(new RelayEvent.Abort());
  }

  /// The master no longer counts on this worker, or on the leases it has.
  void reopen(boolean forgetAhead) {
    inbox.tell(new RelayEvent.Reopen(forgetAhead));
  }

  // The owner thread.

  private void run() {
    try {
      while (!over) {
        RelayEvent event = inbox.poll(step(nanoTime.getAsLong()));
        while (event != null) {
          handle(event, nanoTime.getAsLong());
          event = over ? null : inbox.poll();
        }
      }
    } catch (InterruptedException _) {
      log.debug("{} on {}: interrupted", worker, dataset);
    } catch (RuntimeException e) {
      log.error("{} on {}: its relay is ended by a defect", worker, dataset, e);
    } finally {
      over = true;
      if (stream != null) {
        stream.cancel("the relay is over");
      }
      waiting.fail(stopped());
      inbox.close();
      finished.complete(null);
    }
  }

  private void handle(RelayEvent event, long now) {
    switch (event) {
      case RelayEvent.Asked(long connection, var answer) -> {
        if (!tellUntold(answer)) {
          asked(connection, answer, now);
        }
      }
      case RelayEvent.Reported(long connection, var reports, var answer) ->
          reported(connection, reports, answer);
      case RelayEvent.FlushAsked(long connection, var within, var answer) -> {
        if (book.settled() || !tellUntold(answer)) {
          waiting.addFlush(connection, now + within.toNanos(), answer);
        }
      }
      case RelayEvent.Gone(long connection, boolean worksOn) -> {
        waiting.gone(connection);
        if (worksOn) {
          book.drop(connection, "the connection that had the shard ended");
        }
      }
      case RelayEvent.Finish() -> {
        finishing = true;
        needed = true;
        book.finish();
      }
      case RelayEvent.Abort() -> over = true;
      case RelayEvent.Reopen(boolean forgetAhead) -> reopen(forgetAhead, now);
      case RelayEvent.Wake() -> {}
      case RelayEvent.FromMaster(var heard) -> {
        if (heard.stream() == stream) {
          fromMaster(heard, now);
        }
      }
    }
  }

  private void asked(long connection, CompletableFuture<Answer> answer, long now) {
    if (book.full()) {
      answer.completeExceptionally(
          new PliantException(
              ErrorCode.TOO_MANY,
              "worker %s has %,d shards of dataset '%s' in hand, and no more may be out; report some."
                  .formatted(worker, book.inHand(), dataset)));
      return;
    }
    book.asked(now);
    waiting.addNext(connection, now + patience.answer().toNanos(), answer);
  }

  private void reported(
      long connection, List<ShardReport> reports, CompletableFuture<Answer> answer) {
    try {
      book.report(connection, reports);
    } catch (PliantException e) {
      answer.completeExceptionally(e);
      return;
    }
    needed = true;
    answer.complete(new Answer.Taken(book.takeRefusals(connection)));
  }

  private void reopen(boolean forgetAhead, long now) {
    if (forgetAhead) {
      book.forgetAhead();
    }
    if (stream != null) {
      stream.cancel("opened again");
      stream = null;
      book.lost();
      tryAt = now;
    }
  }

  /// Does all that can be done now.
  ///
  /// @return how long nothing more will be to do unless something happens
  private long step(long now) {
    waiting.answer(now);
    keepStream(now);
    MasterStream<WorkRequest, WorkResponse> open = stream;
    if (open != null) {
      say(open, now);
    }
    if (finishing && book.idle()) {
      if (open != null) {
        open.close();
        stream = null;
      }
      delivered = true;
      over = true;
    }
    return over ? 0 : Math.max(0, nextTime(now) - now);
  }

  private void say(MasterStream<WorkRequest, WorkResponse> open, long now) {
    Optional<WorkRequest> message = book.message(waiting.nexts(), now);
    while (message.isPresent()) {
      if (book.underWay() == 1) {
        heardAt = now; // Silence is counted from the first word that awaits an answer.
      }
      open.send(message.get());
      message = book.message(waiting.nexts(), now);
    }
  }

  /// Opens the stream when its time has come, and gives it up when the master is silent on it.
  private void keepStream(long now) {
    if (stream != null) {
      if (book.underWay() > 0 && now - heardAt > patience.silence().toNanos()) {
        stream.cancel("the master is silent");
        ended(
            Status.DEADLINE_EXCEEDED
                .withDescription("the master has not answered for " + patience.silence() + ".")
                .asRuntimeException(),
            now);
      }
    } else if (wantsStream() && (now - tryAt >= 0 || calls.master().look() != moves)) {
      heardAt = now;
      moves = calls.master().moves();
      MasterStream<WorkRequest, WorkResponse> opened =
          MasterStream.open(
              answers -> calls.master().dataAsync().work(answers),
              heard -> inbox.tell(new RelayEvent.FromMaster(heard)));
      stream = opened;
      opened.send(book.open(worker.value(), waiting.nexts(), now));
    }
  }

  private boolean wantsStream() {
    return needed && after.isDone() && !(finishing && book.idle());
  }

  private long nextTime(long now) {
    long time = waiting.nextDeadline(now + FOR_EVER);
    if (stream == null) {
      return wantsStream()
          ? Math.min(time, Math.min(tryAt, now + MasterConnection.LOOK.toNanos()))
          : time;
    }
    if (book.underWay() > 0) {
      time = Math.min(time, heardAt + patience.silence().toNanos() + 1);
    }
    return Math.min(time, book.askAgainAt(waiting.nexts()).orElse(time));
  }

  // What the master says.

  private void fromMaster(MasterStream.Heard<WorkRequest, WorkResponse> heard, long now) {
    switch (heard) {
      case MasterStream.Heard.Said<WorkRequest, WorkResponse>(var from, var response) -> {
        try {
          book.answered(response, now);
        } catch (IllegalArgumentException e) {
          from.cancel("an answer that makes no sense");
          ended(
              Status.INTERNAL
                  .withDescription("the master's answer makes no sense: " + e.getMessage() + ".")
                  .asRuntimeException(),
              now);
          return;
        }
        heardAt = now;
        tries = 0;
        retries.reset();
        if (book.suspect() && !finishing) {
          reopen(false, now);
        }
        waiting.answer(now);
        tellState(response);
      }
      case MasterStream.Heard.Ended<WorkRequest, WorkResponse>(var _, var why) -> ended(why, now);
    }
  }

  private void tellState(WorkResponse response) {
    switch (response.getState()) {
      case LEASE_STATE_END -> waiting.end();
      case LEASE_STATE_FAILED -> waiting.failed(response.getFailure());
      case LEASE_STATE_UNSPECIFIED, LEASE_STATE_LEASED, LEASE_STATE_WAIT, UNRECOGNIZED -> {}
    }
  }

  private void ended(Throwable why, long now) {
    stream = null;
    book.lost();
    tries++;
    MasterTrouble trouble = MasterTrouble.of(why);
    calls.master().refresh();
    boolean moved = calls.master().moves() != moves;
    if (MasterCalls.worthAnotherTry(trouble, tries, moved)) {
      Duration wait = moved ? trouble.retryAfter() : retries.next(trouble.retryAfter());
      tryAt = now + wait.toNanos();
      log.debug(
          "{} on {}: {}; opening again in {}", worker, dataset, trouble.error().getMessage(), wait);
    } else {
      refused(trouble.error());
    }
  }

  /// The master will not have it. Whoever waits is told; if nobody does, whoever asks next. After
  /// that another request tries again.
  private void refused(PliantException error) {
    needed = false;
    tries = 0;
    if (finishing) {
      log.warn(
          "{} on {}: it ended with reports that the master does not take: {}",
          worker,
          dataset,
          error.getMessage());
      over = true;
    } else if (!waiting.fail(error)) {
      untold = error;
    }
  }

  private boolean tellUntold(CompletableFuture<Answer> answer) {
    PliantException error = untold;
    if (error == null) {
      needed = true;
      return false;
    }
    untold = null;
    answer.completeExceptionally(error);
    return true;
  }

  // The end.

  private void refuse(RelayEvent event) {
    if (event instanceof RelayEvent.FlushAsked flush && delivered) {
      flush.answer().complete(new Answer.Flushed(List.of()));
    } else {
      event.waiting().ifPresent(answer -> answer.completeExceptionally(stopped()));
    }
  }

  private PliantException stopped() {
    return new PliantException(
        ErrorCode.STOPPING,
        "the agent no longer works on dataset '%s' for worker %s; it is stopping."
            .formatted(dataset, worker));
  }
}
