package dev.pliant.master.owner;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.JobImage;
import dev.pliant.machine.JobMachine;
import dev.pliant.machine.JobState;
import dev.pliant.machine.Outlook;
import dev.pliant.machine.Step;
import dev.pliant.master.journal.JobRecovery;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.SnapshotCodec;
import dev.pliant.master.journal.StepBatches;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.journal.v1.Batch;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
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

/// Owns a job's state. Takes what is waiting, has the machine decide it in one step, writes the
/// events of the step in one batch, forces it to disk, then answers: a group commit.
///
/// When the journal cannot be written the state is made anew from what is on disk, commands that
/// would change something are refused, and writing is tried again until it works.
public final class JobOwner implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(JobOwner.class);

  private static final int BATCH = 4_096;

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
  private final List<Request> batch = new ArrayList<>();
  private int lastBatch;
  private JobState state;

  /// Whether the journal says that this master took over.
  private boolean started;

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
      takeOver();
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
      send(batch.stream().map(this::refused).toList());
      refuseWaiting();
    }
  }

  /// What a request is answered: its answers, or why it failed.
  private record Reply(Request request, List<Answer> answers, @Nullable PliantException failure) {
    static Reply of(Request request, Step.Outcome outcome) {
      return new Reply(request, outcome.answers(), outcome.refusal());
    }

    static Reply failed(Request request, PliantException why) {
      return new Reply(request, List.of(), why);
    }

    void send() {
      if (failure == null) {
        request.reply().answer(answers);
      } else {
        request.reply().fail(failure);
      }
    }
  }

  /// Serves everything in the batch in one step.
  private void serve() throws IOException {
    if (!batch.isEmpty()) {
      List<List<Command>> requests = batch.stream().map(Request::commands).toList();
      List<Reply> replies = trouble.isEmpty() ? change(requests) : answerOnly(requests);
      batch.clear();
      send(replies);
    }
    snapshotIfDue();
  }

  private List<Reply> change(List<List<Command>> requests) throws IOException {
    long now = now();
    long sequence = state.events() + 1;
    Step step = JobMachine.step(state, requests, now);
    int written = write(step, sequence, now);
    publish(trouble.isEmpty() ? step.desired() : state.outlook());
    return replies(step, written);
  }

  /// Answers what changes nothing, and refuses the rest: the journal cannot be written.
  private List<Reply> answerOnly(List<List<Command>> requests) {
    Step step = JobMachine.stepWithoutChange(state, requests, now(), stalled());
    publish(step.desired());
    return replies(step, requests.size());
  }

  /// @param written how many requests are answered as decided; those after them fail
  private List<Reply> replies(Step step, int written) {
    List<Reply> replies = new ArrayList<>(batch.size());
    for (int i = 0; i < batch.size(); i++) {
      replies.add(
          i < written
              ? Reply.of(batch.get(i), step.outcomes().get(i))
              : Reply.failed(batch.get(i), stalled()));
    }
    return replies;
  }

  /// Writes a step; returns how many of its requests are on disk. Where that is not all of them,
  /// the state is again what is on disk.
  private int write(Step step, long firstSequence, long now) throws IOException {
    int written = 0;
    for (StepBatches.Part part : StepBatches.of(step, firstSequence, now)) {
      if (!commit(part.batch())) {
        return written;
      }
      written = part.requests();
    }
    return step.outcomes().size();
  }

  /// Sends the replies of a batch: one task for each teller.
  private static void send(Collection<Reply> replies) {
    Map<Executor, List<Reply>> byTeller = new LinkedHashMap<>();
    for (Reply reply : replies) {
      byTeller.computeIfAbsent(reply.request.teller(), _ -> new ArrayList<>()).add(reply);
    }
    byTeller.forEach((teller, its) -> {
      try {
        teller.execute(() -> its.forEach(JobOwner::send));
      } catch (RejectedExecutionException e) {
        log.debug("{} callers cannot be answered: {}", its.size(), e.toString());
      }
    });
  }

  /// Sends a reply. A caller whose connection is gone does not concern the owner.
  private static void send(Reply reply) {
    try {
      reply.send();
    } catch (RuntimeException e) {
      log.debug("a caller cannot be answered: {}", e.toString());
    }
  }

  /// Tells the listeners where the outlook is another one than they know.
  private void publish(Outlook outlook) {
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
      state = JobRecovery.recover(store, job);
      return false;
    }
  }

  /// The step after the state was read from the journal: says that this master is there, where the
  /// journal does not, and follows the consequences. The last step may be on disk only in part.
  private void takeOver() throws IOException {
    List<List<Command>> requests =
        started ? List.of() : List.of(List.of(new Command.StartMaster(epoch)));
    long now = now();
    long sequence = state.events() + 1;
    Step step = JobMachine.step(state, requests, now);
    started |= write(step, sequence, now) > 0;
    publish(trouble.isEmpty() ? step.desired() : state.outlook());
  }

  private void retryJournal() throws IOException {
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
      return;
    }
    takeOver();
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
    send(inbox.drain().stream().map(this::refused).toList());
  }

  private Reply refused(Request request) {
    return Reply.failed(request, ending());
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
