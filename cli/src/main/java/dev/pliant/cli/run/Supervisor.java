package dev.pliant.cli.run;

import dev.pliant.agent.node.LogTail;
import dev.pliant.cli.jobs.JobClient;
import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.jobs.JobSnapshot.Node;
import dev.pliant.cli.jobs.LogFiles;
import dev.pliant.cli.jobs.RunningJob;
import dev.pliant.cli.run.RunResult.Outcome;
import dev.pliant.model.JobPhase;
import dev.pliant.model.NodeId;
import dev.pliant.model.NodePhase;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/// Runs a job on this machine to its end: keeps its master alive, which keeps everything else, and
/// shows what the master and the workers say. One thread does all of it and never waits for long,
/// so the progress line stays alive; the end of a master and Ctrl-C wake it, so the one is replaced
/// and the other heard at once. It shares the machine with the training, hence it looks no oftener
/// than people can tell.
final class Supervisor {
  private static final LogTail LOG_END = new LogTail(12, 16 << 10);
  private static final Duration MOMENT = Duration.ofMillis(50);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final Duration LAST_ANSWER_BOUND = Duration.ofMinutes(1);

  /// Longer than the master and the agents take to end a worker that does not want to.
  private static final Duration STOP_BOUND = Duration.ofSeconds(60);

  private static final Duration NODE_GRACE = Duration.ofSeconds(20);

  private final RunPlan plan;
  private final JobFolder folder;
  private final Screen screen;
  private final InstantSource clock;
  private final Semaphore wake = new Semaphore(0);
  private final AtomicInteger stopsAsked = new AtomicInteger();
  private final Speed speed = new Speed();
  private final Set<String> failuresShown = new LinkedHashSet<>();
  private final MasterKeeper master;
  private @Nullable JobSnapshot shown;
  private long progressShownNanos = System.nanoTime();

  Supervisor(RunPlan plan, JobFolder folder, Screen screen, InstantSource clock) {
    this.plan = plan;
    this.folder = folder;
    this.screen = screen;
    this.clock = clock;
    this.master =
        new MasterKeeper(
            new MasterKeeper.Processes(
                folder.path(), masterLog(), masterArguments(), Children.of(folder.path())),
            clock,
            screen::say,
            wake::release);
  }

  private Path masterLog() {
    return folder.logs().resolve("master.log");
  }

  private List<String> masterArguments() {
    return List.of(
        "master",
        "--with-parent",
        "--job-dir",
        folder.path().toString(),
        "--job",
        plan.job().job().toString());
  }

  /// Asks for an orderly end, from any thread; the second time for a quick one.
  void stop() {
    stopsAsked.incrementAndGet();
    wake.release();
  }

  /// Runs the job; returns when everything that was started has ended.
  RunResult run() throws IOException, InterruptedException {
    Instant began = clock.instant();
    try (WorkerOutput output = new WorkerOutput(folder.logs(), screen)) {
      if (!awaitMaster()) {
        return ended(began, null, masterFailure());
      }
      try (JobView view = new JobView(folder.path())) {
        return follow(view, output, began);
      } finally {
        output.finish();
      }
    } finally {
      screen.endProgress();
      master.stop();
      // None is left where the job ended in order.
      LocalNodes.of(folder.path()).end(stopsAsked.get() > 1 ? Duration.ZERO : NODE_GRACE);
    }
  }

  /// Whether a master came up; else it failed, or the user lost patience.
  private boolean awaitMaster() throws IOException, InterruptedException {
    while (!master.ready()) {
      if (stopsAsked.get() > 0 || master.failure().isPresent()) {
        return false;
      }
      screen.progress(
          ProgressLine.of(plan.job().job().name(), null, 0, master.away()), System.nanoTime());
      boolean unused = wake.tryAcquire(MOMENT.toMillis() / 5, TimeUnit.MILLISECONDS);
      master.look();
    }
    return true;
  }

  private RunResult follow(JobView view, WorkerOutput output, Instant began)
      throws IOException, InterruptedException {
    long stopDue = Long.MAX_VALUE;
    long answers = 0;
    while (true) {
      if (!output.show()) {
        Duration pause = master.ready() ? PAUSE : MOMENT;
        boolean unused = wake.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS);
      }
      wake.drainPermits();
      if (view.answers() > answers) {
        answers = view.answers();
        master.answered();
      }
      master.look();
      JobSnapshot snapshot = view.latest();
      noteChanges(snapshot);
      if (master.failure().isPresent()) {
        return ended(began, snapshot, masterFailure());
      }
      if (snapshot != null && snapshot.phase().ended()) {
        return finished(view, output, began);
      }
      if (stopsAsked.get() > 0 && stopDue == Long.MAX_VALUE) {
        stopDue = System.nanoTime() + STOP_BOUND.toNanos();
        tellMasterToStop();
      }
      if (stopDue != Long.MAX_VALUE && (stopsAsked.get() > 1 || System.nanoTime() - stopDue > 0)) {
        screen.endProgress();
        screen.warn("the workers are killed");
        return ended(began, snapshot, List.of());
      }
      showProgress(snapshot);
    }
  }

  /// By a thread of its own, for the master may be away.
  private void tellMasterToStop() {
    screen.say("stopping: the workers first, then the master; Ctrl-C again kills them");
    Thread.ofVirtual()
        .name("stop-job")
        .start(() -> {
          try (JobClient client = new JobClient(folder.path())) {
            client.stop(RunningJob.user(), STOP_BOUND);
          } catch (PliantException e) {
            stop(); // Nobody listens: what can be ended from here is.
          }
        });
  }

  /// The job is over, by its master's word: what does that make?
  private RunResult finished(JobView view, WorkerOutput output, Instant began)
      throws IOException, InterruptedException {
    screen.endProgress();
    JobSnapshot snapshot =
        view.fresh(
            LAST_ANSWER_BOUND,
            () -> {
              try {
                master.look();
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
              return master.failure().isEmpty() && stopsAsked.get() < 2;
            });
    output.finish();
    noteChanges(snapshot);
    return ended(began, snapshot, RunResult.reasons(snapshot));
  }

  private RunResult ended(Instant began, @Nullable JobSnapshot snapshot, List<String> reasons) {
    boolean stopped = stopsAsked.get() > 0;
    Outcome outcome =
        stopped || (snapshot != null && snapshot.phase() == JobPhase.STOPPED)
            ? Outcome.STOPPED
            : reasons.isEmpty() ? Outcome.SUCCEEDED : Outcome.FAILED;
    return RunResult.of(
        plan.job().job(),
        outcome,
        stopped ? List.of() : reasons,
        snapshot,
        Duration.between(began, clock.instant()),
        master.restarts());
  }

  private List<String> masterFailure() {
    if (master.failure().isEmpty()) {
      return List.of();
    }
    screen.endProgress();
    screen.warn("the master's log, %s, ends:".formatted(masterLog()));
    LOG_END.of(masterLog()).forEach(screen::say);
    return List.of(master.failure().get() + ".");
  }

  /// Says what has changed since the last time, and shows the end of the log of workers that
  /// failed.
  private void noteChanges(@Nullable JobSnapshot snapshot) {
    if (snapshot == null || snapshot.equals(shown)) {
      return;
    }
    ChangeNotes.between(shown, snapshot).forEach(screen::say);
    shown = snapshot;
    for (Node node : snapshot.nodes()) {
      boolean own = node.phase() == NodePhase.FAILED && !node.reason().equals("killed");
      if (own && failuresShown.add(node.name())) {
        NodeId.parse(node.name()).workers(plan.job().nprocPerNode()).stream()
            .map(worker -> LogFiles.file(folder.logs(), worker.value()))
            .forEach(this::showEnd);
      }
    }
  }

  private void showEnd(Path log) {
    List<String> lines = LOG_END.of(log);
    if (!lines.isEmpty()) {
      screen.warn("its log, %s, ends:".formatted(log));
      lines.forEach(line -> screen.say("  " + line));
    }
  }

  /// As often as the master is asked, no oftener.
  private void showProgress(@Nullable JobSnapshot snapshot) {
    long nanos = System.nanoTime();
    if (nanos - progressShownNanos < JobView.PAUSE.toNanos()) {
      return;
    }
    progressShownNanos = nanos;
    if (snapshot != null) {
      speed.note(nanos, snapshot.done());
    }
    screen.progress(
        ProgressLine.of(plan.job().job().name(), snapshot, speed.perSecond(), master.away()),
        nanos);
  }
}
