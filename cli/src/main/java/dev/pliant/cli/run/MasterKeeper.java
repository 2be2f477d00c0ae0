package dev.pliant.cli.run;

import dev.pliant.cli.jobs.Amounts;
import dev.pliant.cli.run.RestartPolicy.Verdict;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// Keeps a job's master alive: starts it, sees when it is ready, starts it again whenever it dies.
/// For one thread, which calls [#look] several times a second and whenever the process ends.
final class MasterKeeper {
  /// How long a master may take until it is ready; a long journal takes a while to read.
  static final Duration START_BOUND = Duration.ofMinutes(2);

  /// A master that is up and answers nobody for so long is stopped, or stuck: another takes over.
  static final Duration SILENCE_BOUND = Duration.ofSeconds(15);

  /// A master that dies sooner after it was ready has been of no use.
  static final Duration OF_USE = Duration.ofSeconds(1);

  static final Duration STOP_BOUND = Duration.ofSeconds(10);

  /// How masters are started and what they leave behind: by processes, or in a test by hand.
  interface Starter {
    /// @param onExit is run when the process has ended
    Process start(Runnable onExit) throws IOException;

    /// The epoch in `master.json`, if there is one.
    OptionalLong writtenEpoch();
  }

  private final Starter starter;
  private final InstantSource clock;
  private final Consumer<String> notes;
  private final Runnable onExit;

  private RestartPolicy policy = RestartPolicy.fresh();
  private @Nullable Process process;
  private Instant startedAt = Instant.MIN;
  private Instant readyAt = Instant.MIN;
  private Instant heardAt = Instant.MIN;
  private Instant startDue = Instant.MIN;
  private @Nullable Instant diedAt;
  private String death = "";
  private long epoch;
  private boolean ready;
  private int restarts;
  private @Nullable String failure;

  MasterKeeper(Starter starter, InstantSource clock, Consumer<String> notes, Runnable onExit) {
    this.starter = starter;
    this.clock = clock;
    this.notes = notes;
    this.onExit = onExit;
    this.epoch = starter.writtenEpoch().orElse(0);
  }

  /// Sees what has happened and does what is due.
  void look() throws IOException {
    if (failure != null) {
      return;
    }
    Instant now = clock.instant();
    Process current = process;
    if (current != null && !current.isAlive()) {
      died(current.exitValue(), now);
      current = null;
    }
    if (current == null) {
      startIfDue(now);
    } else if (!ready) {
      seeWhetherReady(current, now);
    } else if (now.isAfter(heardAt.plus(SILENCE_BOUND))) {
      notes.accept(
          "the master has not answered for %s; it is ended, and another takes over"
              .formatted(Amounts.seconds(SILENCE_BOUND)));
      heardAt = now;
      current.destroyForcibly();
    }
  }

  private void startIfDue(Instant now) throws IOException {
    if (failure == null && !now.isBefore(startDue)) {
      startedAt = now;
      process = starter.start(onExit);
    }
  }

  /// The master has answered.
  void answered() {
    heardAt = clock.instant();
  }

  private void seeWhetherReady(Process current, Instant now) {
    OptionalLong written = starter.writtenEpoch();
    if (written.isPresent() && Long.compareUnsigned(written.getAsLong(), epoch) > 0) {
      epoch = written.getAsLong();
      ready = true;
      readyAt = now;
      heardAt = now;
      if (diedAt != null) {
        restarts++;
        notes.accept(
            "%s; epoch %d took over after %s"
                .formatted(death, epoch, Amounts.seconds(Duration.between(diedAt, now))));
      }
      diedAt = null;
    } else if (now.isAfter(startedAt.plus(START_BOUND))) {
      notes.accept(
          "the master is not ready after %s; it is ended and started again"
              .formatted(Amounts.seconds(START_BOUND)));
      current.destroyForcibly();
    }
  }

  private void died(int exitCode, Instant now) {
    boolean served = ready && now.isAfter(readyAt.plus(OF_USE));
    if (diedAt == null) {
      diedAt = now;
      death = "master " + Exits.describe(exitCode);
    }
    process = null;
    ready = false;
    switch (policy.died(now, served)) {
      case Verdict.Again(Duration after, RestartPolicy next) -> {
        policy = next;
        startDue = now.plus(after);
      }
      case Verdict.GiveUp(int deaths) ->
          failure =
              "the master died %d times in a row without becoming ready, the last time it %s"
                  .formatted(deaths, Exits.describe(exitCode));
    }
  }

  /// Why there will be no master any more, if so.
  Optional<String> failure() {
    return Optional.ofNullable(failure);
  }

  boolean ready() {
    return ready;
  }

  /// How often a master died and another took over.
  int restarts() {
    return restarts;
  }

  /// How long no master has been up; zero while one is, or before the first was.
  Duration away() {
    Instant died = diedAt;
    return ready || died == null ? Duration.ZERO : Duration.between(died, clock.instant());
  }

  /// Lets the master end in order.
  void stop() throws InterruptedException {
    Process current = process;
    if (current != null) {
      current.destroy();
      if (!current.waitFor(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS)) {
        current.destroyForcibly().waitFor(STOP_BOUND.toMillis(), TimeUnit.MILLISECONDS);
      }
    }
  }

  /// Masters as processes of this machine, in a job's folder.
  record Processes(Path folder, Path log, List<String> arguments, Children children)
      implements Starter {
    @Override
    public Process start(Runnable onExit) throws IOException {
      Process process =
          ChildJvm.start(
              ChildJvm.Kind.MASTER, arguments, ProcessBuilder.Redirect.appendTo(log.toFile()), log);
      children.add(process.toHandle());
      process.onExit().thenRun(onExit);
      return process;
    }

    @Override
    public OptionalLong writtenEpoch() {
      return MasterAddress.epoch(folder);
    }
  }
}
