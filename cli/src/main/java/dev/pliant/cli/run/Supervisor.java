package dev.pliant.cli.run;

import dev.pliant.cli.jobs.JobSnapshot;
import dev.pliant.cli.run.RunResult.Outcome;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Runs a job on this machine to its end. One thread does everything, fed by a bounded queue of
/// what happens; it never waits for longer than a moment, so the progress line stays alive, a dead
/// master is replaced at once and Ctrl-C is heard.
final class Supervisor {
  private static final Duration MOMENT = Duration.ofMillis(50);
  private static final Duration LAST_ANSWER_BOUND = Duration.ofMinutes(1);
  private static final long DESCENDANTS_NANOS = Duration.ofSeconds(1).toNanos();
  private static final int QUEUE = 1_024;
  private static final Pattern WORKER_LINE =
      Pattern.compile("\\[(" + AgentProcess.NODE + "-(\\d+))] (.*)", Pattern.DOTALL);

  /// What other threads tell the supervisor's.
  private sealed interface Happening {
    /// The master or the supervisor's user did something that shows elsewhere: look.
    record Look() implements Happening {}

    record Printed(String line) implements Happening {}

    record AgentEnded() implements Happening {}
  }

  private final RunPlan plan;
  private final JobFolder folder;
  private final Screen screen;
  private final InstantSource clock;
  private final BlockingQueue<Happening> queue = new ArrayBlockingQueue<>(QUEUE);
  private final AtomicBoolean stopAsked = new AtomicBoolean();
  private final Speed speed = new Speed();
  private final Map<String, Integer> ends = new LinkedHashMap<>();
  private final MasterKeeper master;
  private final Children children;
  private long descendantsNotedNanos = System.nanoTime();
  private long progressShownNanos = System.nanoTime();

  Supervisor(RunPlan plan, JobFolder folder, Screen screen, InstantSource clock) {
    this.plan = plan;
    this.folder = folder;
    this.screen = screen;
    this.clock = clock;
    this.children = Children.of(folder.path());
    this.master =
        new MasterKeeper(
            new MasterKeeper.Processes(folder.path(), masterLog(), masterArguments(), children),
            clock,
            screen::say,
            () -> tell(new Happening.Look()));
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

  /// Asks for an orderly end, from any thread.
  void stop() {
    stopAsked.set(true);
    boolean unused = queue.offer(new Happening.Look());
  }

  /// Runs the job; returns when everything that was started has ended.
  RunResult run() throws IOException, InterruptedException {
    Instant began = clock.instant();
    try {
      if (!awaitMaster()) {
        return ended(began, null, masterFailure());
      }
      try (JobView view = new JobView(folder.path())) {
        AgentProcess agent =
            AgentProcess.start(
                plan,
                folder,
                children,
                line -> tell(new Happening.Printed(line)),
                () -> tell(new Happening.AgentEnded()));
        try {
          return follow(agent, view, began);
        } finally {
          screen.endProgress();
          stop(agent);
        }
      }
    } finally {
      screen.endProgress();
      master.stop();
    }
  }

  /// Whether a master came up; else it failed, or the user lost patience.
  private boolean awaitMaster() throws IOException, InterruptedException {
    while (!master.ready()) {
      if (stopAsked.get() || master.failure().isPresent()) {
        return false;
      }
      screen.progress(
          ProgressLine.of(plan.job().job().name(), null, 0, master.away()), System.nanoTime());
      Happening unused = queue.poll(MOMENT.toMillis() / 5, TimeUnit.MILLISECONDS);
      master.look();
    }
    return true;
  }

  private RunResult follow(AgentProcess agent, JobView view, Instant began)
      throws IOException, InterruptedException {
    boolean agentEnded = false;
    while (!agentEnded) {
      Happening happening = queue.poll(MOMENT.toMillis(), TimeUnit.MILLISECONDS);
      switch (happening) {
        case Happening.Printed(String line) -> show(line);
        case Happening.AgentEnded() -> agentEnded = true;
        case Happening.Look() -> {}
        case null -> {}
      }
      master.look();
      noteEnds(agent, agentEnded);
      if (stopAsked.get()) {
        return stopped(agent, view, began);
      }
      if (master.failure().isPresent()) {
        return ended(began, view.latest(), masterFailure());
      }
      showProgress(view);
    }
    return finished(agent, view, began);
  }

  private RunResult stopped(AgentProcess agent, JobView view, Instant began)
      throws IOException, InterruptedException {
    screen.endProgress();
    screen.say("stopping: the workers first, then the agent, then the master");
    stop(agent);
    ends.putAll(agent.ends());
    return ended(began, view.latest(), List.of());
  }

  /// All workers have ended: what does that make?
  private RunResult finished(AgentProcess agent, JobView view, Instant began)
      throws IOException, InterruptedException {
    screen.endProgress();
    if (ends.size() < plan.job().workers().wish()) {
      screen.warn("the agent " + Exits.describe(agent.exitCode()) + "; its log ends:");
      LogTail.of(AgentProcess.log(folder)).forEach(screen::say);
      agent.endOrphans();
    }
    JobSnapshot snapshot =
        view.fresh(
            LAST_ANSWER_BOUND,
            () -> {
              try {
                master.look();
              } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
              }
              return master.failure().isEmpty() && !stopAsked.get();
            });
    return ended(began, snapshot, RunResult.reasons(plan.job().workers().wish(), ends, snapshot));
  }

  private RunResult ended(Instant began, @Nullable JobSnapshot snapshot, List<String> reasons) {
    Outcome outcome =
        stopAsked.get() ? Outcome.STOPPED : reasons.isEmpty() ? Outcome.SUCCEEDED : Outcome.FAILED;
    return new RunResult(
        plan.job().job(),
        outcome,
        reasons,
        snapshot == null ? 0 : snapshot.done(),
        snapshot == null ? 0 : snapshot.total(),
        Duration.between(began, clock.instant()),
        master.restarts(),
        ends);
  }

  private List<String> masterFailure() {
    if (master.failure().isEmpty()) {
      return List.of();
    }
    screen.endProgress();
    screen.warn("the master's log, %s, ends:".formatted(masterLog()));
    LogTail.of(masterLog()).forEach(screen::say);
    return List.of(master.failure().get() + ".");
  }

  /// Takes note of workers that have ended, and shows the end of the log of those that failed.
  private void noteEnds(AgentProcess agent, boolean last) throws IOException {
    long nanos = System.nanoTime();
    if (!last && nanos - descendantsNotedNanos < DESCENDANTS_NANOS) {
      return;
    }
    descendantsNotedNanos = nanos;
    agent.noteDescendants();
    for (Map.Entry<String, Integer> end : agent.ends().entrySet()) {
      if (ends.putIfAbsent(end.getKey(), end.getValue()) == null && end.getValue() != 0) {
        Path log = folder.logs().resolve(end.getKey() + ".log");
        screen.warn(
            "worker %s %s; its log, %s, ends:"
                .formatted(end.getKey(), Exits.describe(end.getValue()), log));
        LogTail.of(log).forEach(line -> screen.say("  " + line));
      }
    }
  }

  /// As often as the master is asked, no oftener.
  private void showProgress(JobView view) {
    long nanos = System.nanoTime();
    if (nanos - progressShownNanos < JobView.PAUSE.toNanos()) {
      return;
    }
    progressShownNanos = nanos;
    JobSnapshot snapshot = view.latest();
    if (snapshot != null) {
      speed.note(nanos, snapshot.done());
    }
    screen.progress(
        ProgressLine.of(plan.job().job().name(), snapshot, speed.perSecond(), master.away()),
        nanos);
  }

  private void show(String line) {
    Matcher worker = WORKER_LINE.matcher(line);
    if (worker.matches()) {
      screen.worker(Integer.parseInt(worker.group(2)), worker.group(1), worker.group(3));
    } else {
      screen.say(line);
    }
  }

  /// Lets the agent end in order, still showing what its workers say and keeping the master up, for
  /// the agent has reports to deliver; what does not end in time is killed.
  private void stop(AgentProcess agent) throws IOException, InterruptedException {
    if (agent.alive()) {
      agent.askToStop();
      long end = System.nanoTime() + AgentProcess.STOP_BOUND.toNanos();
      while (agent.alive() && System.nanoTime() - end < 0) {
        showPrinted(queue.poll(MOMENT.toMillis(), TimeUnit.MILLISECONDS));
        master.look();
      }
      agent.kill();
      agent.endOrphans();
    }
    Happening last;
    while ((last = queue.poll()) != null) {
      showPrinted(last);
    }
  }

  private void showPrinted(@Nullable Happening happening) {
    if (happening instanceof Happening.Printed(String line)) {
      show(line);
    }
  }

  /// From another thread. Waits while the queue is full: a worker that prints faster than a
  /// terminal shows is slowed down, and nothing is lost.
  private void tell(Happening happening) {
    try {
      queue.put(happening);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
