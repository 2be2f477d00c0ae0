package dev.pliant.master.owner;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.Event;
import dev.pliant.machine.JobImage;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Outlook;
import dev.pliant.master.journal.EventCodec;
import dev.pliant.master.journal.JobRecovery;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.SnapshotCodec;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.journal.v1.Batch;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// Owns a job's state. Takes what is waiting, decides each command, applies its events, writes the
/// events of all of them in one batch, forces it to disk, then answers: a group commit.
///
/// When the journal cannot be written the state is made anew from what is on disk, commands that
/// would change something are refused, and writing is tried again until it works.
public final class JobOwner implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JobOwner.class);

  private static final int BATCH = 4_096;
  private static final int BATCH_BYTES = 8 << 20;
  private static final int MANY = 8;
  private static final long IDLE_NANOS = 1_000_000_000;
  private static final long RETRY_JOURNAL_NANOS = 250_000_000;

  private final JobId job;
  private final JournalStore store;
  private final long epoch;
  private final long snapshotBytes;
  private final InstantSource clock;
  private final Inbox inbox;
  private final CountDownLatch ended = new CountDownLatch(1);
  private final AtomicBoolean snapshotting = new AtomicBoolean();
  private final Thread thread;

  private volatile boolean stopping;
  private volatile @Nullable PliantException fault;
  private volatile String trouble = "";
  private final List<WorkerId> recoveredWorkers;
  private final ConcurrentLinkedQueue<OutlookListener> newListeners = new ConcurrentLinkedQueue<>();

  // The owner's own: nobody else touches these.
  private final ArrayDeque<Request> batch = new ArrayDeque<>();
  private final ArrayDeque<Pending> pending = new ArrayDeque<>();
  private int lastBatch;
  private JobState state;
  private final List<OutlookListener> listeners = new ArrayList<>();
  private Outlook published = Outlook.NOTHING;
  private long lastMillis;
  private long nextJournalTry = System.nanoTime();

  /// How much may wait, and how much journal there may be to replay.
  public record Limits(int queue, long snapshotBytes) {
    public static final Limits DEFAULT = new Limits(8_192, 32 << 20);
  }

  private JobOwner(
      JobId job,
      JournalStore store,
      Limits limits,
      InstantSource clock,
      long epoch,
      JobState state) {
    this.job = job;
    this.store = store;
    this.epoch = epoch;
    this.snapshotBytes = limits.snapshotBytes();
    this.clock = clock;
    this.inbox = new Inbox(limits.queue());
    this.state = state;
    this.recoveredWorkers = state.liveWorkers();
    this.thread = Thread.ofPlatform().name("owner-" + job.name()).unstarted(this::run);
  }

  /// Claims the journal, makes the state from it and begins to take commands.
  public static JobOwner start(JobId job, JournalStore store, Limits limits, InstantSource clock)
      throws IOException {
    long epoch = store.claim();
    JobState state = JobRecovery.recover(store, job);
    store.begin(state.events() + 1);
    JobOwner owner = new JobOwner(job, store, limits, clock, epoch, state);
    owner.inbox.offer(new Request(List.of(new Command.StartMaster(epoch)), new Unheard()));
    owner.thread.start();
    return owner;
  }

  /// Which master this is: higher than every one before.
  public long epoch() {
    return epoch;
  }

  /// Whether this master's word still counts: it runs, and no newer one has taken over.
  public boolean current() {
    return !stopping && !store.isFenced();
  }

  /// The workers that lived when the master before this one ended.
  public List<WorkerId> recoveredWorkers() {
    return recoveredWorkers;
  }

  /// Hands a request to the owner. One that cannot wait in the queue is refused at once, by the
  /// caller's thread.
  public void submit(Request request) {
    if (stopping) {
      request.reply().fail(ending());
    } else if (!inbox.offer(request)) {
      request.reply().fail(overloaded());
    } else if (ended.getCount() == 0) {
      // The owner ended between the two: whoever finds something in the queue refuses it.
      refuseWaiting();
    }
  }

  /// Has a listener hear the present outlook, and every other one after it.
  public void listen(OutlookListener listener) {
    newListeners.add(listener);
    // Wakes the owner if it waits; if the queue is full it does not.
    inbox.offer(new Request(List.of(), new Unheard()));
  }

  /// Why nothing can be written now; empty while all is well.
  public String trouble() {
    return trouble;
  }

  /// Waits for the owner's end; returns why it ended, or null where it was closed.
  public @Nullable PliantException awaitEnd() throws InterruptedException {
    ended.await();
    return fault;
  }

  public boolean awaitEnd(Duration timeout) throws InterruptedException {
    return ended.await(timeout.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void run() {
    try {
      while (!stopping) {
        inbox.await(IDLE_NANOS);
        if (lastBatch >= MANY) {
          // Others are busy with calls just now: what they bring meanwhile goes to disk with the
          // rest. Where a processor is free this is over at once. With few callers, whose training
          // may share the machine, it would only be a turn that is lost.
          Thread.yield();
        }
        inbox.drainTo(batch, BATCH);
        lastBatch = batch.size();
        if (!trouble.isEmpty()) {
          retryJournal();
        }
        serve();
        welcomeListeners();
      }
      inbox.drainTo(batch, Integer.MAX_VALUE);
      serve();
      leaveSnapshot();
    } catch (IOException e) {
      fault =
          new PliantException(
              ErrorCode.JOURNAL_STALLED,
              "the journal of job %s can no longer be read: %s".formatted(job, describe(e)),
              e);
      log.error("the owner of job {} ends: {}", job, ending().getMessage());
    } catch (RuntimeException | Error e) {
      fault = e instanceof PliantException known ? known : defect(e);
      log.error("the owner of job {} ends: {}", job, ending().getMessage());
    } finally {
      stopping = true;
      ended.countDown();
      tell(pending.stream().map(p -> p.failed(ending())).toList());
      tell(batch.stream().map(this::refused).toList());
      refuseWaiting();
    }
  }

  /// A request that is decided and not yet answered: its answers, or why it failed.
  private record Pending(Request request, List<Answer> answers, @Nullable PliantException failure) {
    Pending failed(PliantException why) {
      return new Pending(request, List.of(), why);
    }

    void reply() {
      if (failure == null) {
        request.reply().answer(answers);
      } else {
        request.reply().fail(failure);
      }
    }
  }

  /// Serves everything in the batch, in as many group commits as its size asks for.
  private void serve() throws IOException {
    while (!batch.isEmpty()) {
      long now = now();
      Batch.Builder events = Batch.newBuilder().setFirstSequence(state.events() + 1).setAtMs(now);
      for (int bytes = 0; !batch.isEmpty() && bytes < BATCH_BYTES; ) {
        int before = events.getEventsCount();
        pending.add(decide(batch.remove(), now, events));
        for (int i = before; i < events.getEventsCount(); i++) {
          bytes += events.getEvents(i).getSerializedSize();
        }
      }
      follow(now, events);
      boolean written = events.getEventsCount() == 0 || commit(events.build());
      publish();
      List<Pending> decided =
          written ? List.copyOf(pending) : pending.stream().map(p -> p.failed(stalled())).toList();
      pending.clear();
      tell(decided);
    }
    snapshotIfDue();
  }

  /// Has every reply of a batch told: one task for each teller.
  private static void tell(Collection<Pending> decided) {
    Map<Executor, List<Pending>> byTeller = new LinkedHashMap<>();
    for (Pending p : decided) {
      byTeller.computeIfAbsent(p.request.teller(), _ -> new ArrayList<>()).add(p);
    }
    byTeller.forEach((teller, replies) -> {
      try {
        teller.execute(() -> replies.forEach(JobOwner::reply));
      } catch (RejectedExecutionException e) {
        log.debug("{} callers cannot be answered: {}", replies.size(), e.toString());
      }
    });
  }

  /// Answers. A caller whose connection is gone is no matter of the owner's.
  private static void reply(Pending decided) {
    try {
      decided.reply();
    } catch (RuntimeException e) {
      log.debug("a caller cannot be answered: {}", e.toString());
    }
  }

  private Pending decide(Request request, long now, Batch.Builder events) {
    List<Answer> answers = new ArrayList<>(request.commands().size());
    try {
      for (Command command : request.commands()) {
        JobMachine.Decided decided = JobMachine.decide(state, command, now);
        if (!trouble.isEmpty() && !decided.events().isEmpty()) {
          return new Pending(request, answers, stalled());
        }
        apply(decided.events(), now, events);
        answers.add(decided.answer());
      }
      return new Pending(request, answers, null);
    } catch (PliantException refused) {
      return new Pending(request, answers, refused);
    }
  }

  private void apply(List<Event> decided, long now, Batch.Builder events) {
    for (Event event : decided) {
      events.addEvents(EventCodec.encode(event));
      state.apply(event, now);
    }
  }

  /// Adds what follows from the state and the time to what the commands came to.
  private void follow(long now, Batch.Builder events) {
    if (!trouble.isEmpty()) {
      return;
    }
    int most = JobMachine.mostConsequences(state);
    for (int round = 0; round < most; round++) {
      List<Event> consequences = JobMachine.consequences(state, now);
      if (consequences.isEmpty()) {
        return;
      }
      apply(consequences, now, events);
    }
    throw new IllegalStateException("the consequences of job %s have no end".formatted(job));
  }

  /// Tells the listeners where the outlook is another one than they know.
  private void publish() {
    Outlook outlook = state.outlook();
    if (!outlook.equals(published)) {
      published = outlook;
      listeners.forEach(listener -> listener.changed(outlook));
    }
  }

  private void welcomeListeners() {
    for (OutlookListener l = newListeners.poll(); l != null; l = newListeners.poll()) {
      listeners.add(l);
      l.changed(published);
    }
  }

  /// Writes a batch; false where it could not be, and the state is again what is on disk.
  private boolean commit(Batch batch) throws IOException {
    try {
      store.append(batch);
      return true;
    } catch (IOException e) {
      trouble = describe(e);
      log.error("the journal of job {} cannot be written: {}", job, trouble);
      nextJournalTry = System.nanoTime() + RETRY_JOURNAL_NANOS;
      long since = state.masterSinceMillis();
      state = JobRecovery.recover(store, job);
      state.masterSince(since);
      return false;
    }
  }

  private void retryJournal() {
    if (System.nanoTime() - nextJournalTry < 0) {
      return;
    }
    try {
      store.begin(state.events() + 1);
      trouble = "";
      log.info("the journal of job {} can be written again", job);
    } catch (IOException e) {
      trouble = describe(e);
      nextJournalTry = System.nanoTime() + RETRY_JOURNAL_NANOS;
    }
  }

  private void snapshotIfDue() throws IOException {
    if (!trouble.isEmpty()
        || store.bytesSinceSnapshot() < snapshotBytes
        || !snapshotting.compareAndSet(false, true)) {
      return;
    }
    JobImage image = state.image();
    try {
      store.roll(image.events() + 1);
    } catch (IOException e) {
      trouble = describe(e);
      log.error("the journal of job {} cannot be rolled: {}", job, trouble);
      snapshotting.set(false);
      return;
    }
    Thread.ofVirtual()
        .name("snapshot")
        .start(() -> {
          try {
            save(image);
          } catch (IOException e) {
            log.warn("no snapshot of job {} after event {}: {}", job, image.events(), describe(e));
          } finally {
            snapshotting.set(false);
          }
        });
  }

  private void save(JobImage image) throws IOException {
    store.saveSnapshot(image.events(), SnapshotCodec.encode(image).toByteArray());
  }

  /// A clean end leaves a snapshot, so that the next master starts at once.
  private void leaveSnapshot() throws IOException {
    if (trouble.isEmpty() && snapshotting.compareAndSet(false, true)) {
      save(state.image());
    }
  }

  private void refuseWaiting() {
    tell(inbox.drain().stream().map(this::refused).toList());
  }

  private Pending refused(Request request) {
    return new Pending(request, List.of(), ending());
  }

  private PliantException ending() {
    PliantException known = fault;
    return known != null
        ? known
        : new PliantException(ErrorCode.STOPPING, "the master of job " + job + " is stopping.");
  }

  private PliantException overloaded() {
    return new PliantException(
        ErrorCode.OVERLOADED,
        "%,d requests are waiting for the master of job %s, as many as it takes; ask again a little later."
            .formatted(inbox.size(), job));
  }

  private PliantException stalled() {
    return new PliantException(
        ErrorCode.JOURNAL_STALLED,
        "the journal of job %s cannot be written (%s); nothing was changed. Make room, and the master goes on by itself."
            .formatted(job, trouble));
  }

  private PliantException defect(Throwable e) {
    log.error("a defect in the machine of job {}", job, e);
    return new PliantException(
        ErrorCode.INTERNAL, "the master of job %s met a defect: %s".formatted(job, e), e);
  }

  private static String describe(IOException e) {
    return e.getMessage() == null ? e.toString() : e.getMessage();
  }

  private long now() {
    lastMillis = Math.max(lastMillis, clock.millis());
    return lastMillis;
  }

  /// Answers what is waiting, leaves a snapshot and ends; waits at most ten seconds.
  @Override
  public void close() {
    stopping = true;
    // Wakes the owner if it waits; if the queue is full it does not.
    inbox.offer(new Request(List.of(), new Unheard()));
    try {
      if (ended.await(10, TimeUnit.SECONDS)) {
        store.close();
      } else {
        // It may be writing: the store is left to it, as a crash would leave it.
        log.warn("the owner of job {} has not ended after 10 s", job);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      log.warn("closing the journal of job {}: {}", job, describe(e));
    }
  }

  /// The reply of a command that nobody waits for.
  private static final class Unheard implements Request.Reply {
    @Override
    public void answer(List<Answer> answers) {}

    @Override
    public void fail(PliantException why) {
      log.warn("{}", why.getMessage());
    }
  }
}
