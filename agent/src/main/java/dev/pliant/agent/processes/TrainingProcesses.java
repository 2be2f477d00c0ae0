package dev.pliant.agent.processes;

import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// The training processes of a node, by worker: the newest of each. None outlives the agent,
/// however that ends: see [Wrappers] and [Watchdog].
public final class TrainingProcesses implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(TrainingProcesses.class);

  /// How long the system may take to end what was killed.
  private static final Duration KILLED_WITHIN = Duration.ofSeconds(2);

  /// How long a process may be stopped before it is killed, where nobody says otherwise.
  public static final Duration STOPPED_PATIENCE = Duration.ofSeconds(3);

  /// Told of ends, from threads that may be blocked for a short time.
  public interface Listener {
    /// A process has exited, this moment.
    void exited(WorkerId worker, ProcessEnd end);

    /// All that it started is gone as well, and all it printed is in its log.
    void cleared(WorkerId worker);
  }

  /// Whether what processes print is repeated on the agent's own output.
  public enum Printing {
    /// It is in their logs alone.
    QUIET,
    /// As it is.
    PLAIN,
    /// Each line with the worker's name before it.
    NAMED;

    Optional<Echo> echo(WorkerId worker) {
      return switch (this) {
        case QUIET -> Optional.empty();
        case PLAIN -> Optional.of(new Echo(System.out, ""));
        case NAMED -> Optional.of(new Echo(System.out, "[" + worker + "] "));
      };
    }
  }

  private final Path socket;
  private final Path logs;
  private final Function<WorkerId, Optional<Echo>> echoes;
  private final Listener listener;
  private final LongSupplier nanoTime;
  private final Wrappers wrappers;
  private final Duration patience;
  private final StoppedProcesses stopped;
  private final UsageMeter usage;
  private final Map<WorkerId, TrainingProcess> processes = new LinkedHashMap<>();
  private final Map<List<Path>, OutOfMemory> memories = new HashMap<>();

  /// The kernel's death signal comes when the *thread* that started a process ends: this one lives
  /// as long as the agent does.
  private final ExecutorService starter =
      Executors.newSingleThreadExecutor(
          Thread.ofPlatform().daemon().name("pliant-starter").factory());

  /// Started at once: it is up when the first process is to be started, which often has to wait for
  /// the master.
  private Future<Watchdog> watchdog;

  /// @param logs where each process's output is kept, as WORKER.log
  /// @param printing how it is repeated on the agent's own output
  /// @param patience how long a process may be stopped before it is killed
  public TrainingProcesses(
      Path socket,
      Path logs,
      Printing printing,
      Duration patience,
      LongSupplier nanoTime,
      Listener listener) {
    this.socket = socket;
    this.logs = logs;
    this.echoes = printing::echo;
    this.listener = listener;
    this.nanoTime = nanoTime;
    this.wrappers = Wrappers.find(System.getenv().getOrDefault("PATH", "/usr/bin:/bin"));
    this.patience = patience;
    this.stopped = new StoppedProcesses(patience.toNanos());
    this.usage = new UsageMeter(nanoTime.getAsLong());
    this.watchdog = startWatchdog();
  }

  private Future<Watchdog> startWatchdog() {
    return starter.submit(() -> Watchdog.start(wrappers.ownGroup()));
  }

  /// The one that was started with the agent; where that failed, the next process gets another.
  private Watchdog watchdog() throws IOException {
    try {
      return await(watchdog);
    } catch (IOException e) {
      watchdog = startWatchdog();
      throw e;
    }
  }

  /// Starts a process; the one before it under that name must have ended.
  ///
  /// @throws IOException where it cannot be
  public synchronized void start(Launch launch) throws IOException {
    Files.createDirectories(logs);
    Wrappers.checkProgram(launch);
    Watchdog dog = watchdog();
    WorkerId worker = launch.worker();
    OutOfMemory memory = memories.computeIfAbsent(launch.cgroups(), OutOfMemory::new);
    Process process = onStarter(() -> start(wrappers.wrap(launch), launch));
    dog.watch(process.pid(), wrappers.ownGroup());
    process.getOutputStream().close();
    TrainingProcess started =
        new TrainingProcess(
            worker,
            process,
            new ProcessTree(process.toHandle(), socket, worker.value()),
            memory,
            new WorkerLog(logFile(worker), WorkerLog.MAX_FILE_BYTES, echoes.apply(worker)));
    processes.put(worker, started);
    var _ = started.exited().thenAccept(end -> listener.exited(worker, end));
    var _ =
        started
            .cleared()
            .thenAccept(_ -> {
              dog.forget(process.pid(), wrappers.ownGroup());
              listener.cleared(worker);
            });
    started.follow();
  }

  private static Process start(List<String> command, Launch launch) throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(command).directory(launch.folder().toFile()).redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(launch.environment());
    return builder.start();
  }

  private interface Start<T> {
    T get() throws IOException;
  }

  private <T> T onStarter(Start<T> start) throws IOException {
    return await(starter.submit(start::get));
  }

  private static <T> T await(Future<T> started) throws IOException {
    try {
      return started.get();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted while a process was being started", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof IOException known ? known : new IOException(e.getCause());
    }
  }

  /// Where a worker's output is kept.
  public Path logFile(WorkerId worker) {
    return logs.resolve(worker.value() + ".log");
  }

  /// How a worker's process ended, to come or there; nothing where none was started.
  public Optional<CompletableFuture<Integer>> exitOf(WorkerId worker) {
    return find(worker).map(process -> process.exited().thenApply(ProcessEnd::code));
  }

  /// The exit codes of all, to come or there, each once all is read and gone.
  public synchronized Map<WorkerId, CompletableFuture<Integer>> exits() {
    Map<WorkerId, CompletableFuture<Integer>> exits = new LinkedHashMap<>();
    processes.forEach((worker, process) -> exits.put(worker, process.cleared()));
    return exits;
  }

  /// Asks a process, and what it started, to end.
  public void terminate(WorkerId worker) {
    find(worker).ifPresent(TrainingProcess::terminate);
  }

  /// Ends a process, and what it started, at once.
  public void kill(WorkerId worker) {
    find(worker).ifPresent(TrainingProcess::kill);
  }

  private synchronized Optional<TrainingProcess> find(WorkerId worker) {
    return Optional.ofNullable(processes.get(worker));
  }

  private synchronized Map<WorkerId, TrainingProcess> running() {
    Map<WorkerId, TrainingProcess> running = new LinkedHashMap<>(processes);
    running.values().removeIf(process -> process.exited().isDone());
    return running;
  }

  /// Kills processes that have been stopped for too long. To be called every now and then.
  public void killStopped() {
    Map<WorkerId, TrainingProcess> running = running();
    Set<WorkerId> stoppedNow = new LinkedHashSet<>();
    running.forEach((worker, process) -> {
      if (ProcFiles.stateOf(process.pid()) == 'T') {
        stoppedNow.add(worker);
      }
    });
    for (WorkerId worker : stopped.look(stoppedNow, nanoTime.getAsLong())) {
      TrainingProcess process = running.get(worker);
      if (process != null) {
        process.kill(
            "it had been stopped for %d ms, and its peers with it".formatted(patience.toMillis()));
      }
    }
  }

  /// What they and all they started use, since this was last asked.
  public Usage usage() {
    Set<Long> roots = new LinkedHashSet<>();
    running().values().forEach(process -> roots.add(process.pid()));
    synchronized (usage) {
      return usage.look(roots, nanoTime.getAsLong());
    }
  }

  /// Ends all: asks, waits, and kills what is left after `grace`.
  public void stop(Duration grace) throws InterruptedException {
    List<TrainingProcess> all;
    synchronized (this) {
      all = List.copyOf(processes.values());
    }
    all.forEach(TrainingProcess::terminate);
    long deadline = nanoTime.getAsLong() + grace.toNanos();
    for (TrainingProcess process : all) {
      if (!process.await(deadline - nanoTime.getAsLong())) {
        process.kill();
      }
    }
    long killed = nanoTime.getAsLong() + KILLED_WITHIN.toNanos();
    for (TrainingProcess process : all) {
      process.await(killed - nanoTime.getAsLong());
    }
  }

  /// Lets go of what watches over them; what still runs is killed.
  @Override
  public synchronized void close() {
    try {
      await(watchdog).close();
    } catch (IOException e) {
      log.debug("there was no watchdog to let go of: {}", e.toString());
    }
    starter.shutdown();
  }
}
