package dev.pliant.agent.processes;

import dev.pliant.agent.AgentConfig.Workers;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/// The training processes of a node.
public final class TrainingProcesses {
  /// Variables by which a process finds its agent.
  public static final String SOCKET = "PLIANT_SOCKET";

  public static final String WORKER = "PLIANT_WORKER";
  public static final String JOB = "PLIANT_JOB";

  /// How long the system may take to end what was killed.
  private static final Duration KILLED_WITHIN = Duration.ofSeconds(2);

  private final Map<WorkerId, TrainingProcess> processes = new LinkedHashMap<>();

  /// Starts `workers.count()` processes.
  ///
  /// @param console where their lines are shown
  /// @param ended told of each one that has ended
  /// @throws IOException where one cannot be started; those before it are ended again
  public synchronized void start(
      Workers workers,
      JobId job,
      String node,
      Path socket,
      PrintStream console,
      Consumer<WorkerId> ended)
      throws IOException {
    Files.createDirectories(workers.logs());
    try {
      for (int i = 0; i < workers.count(); i++) {
        WorkerId worker = new WorkerId(node + "-" + i);
        TrainingProcess process = start(workers, job, worker, socket, console);
        processes.put(worker, process);
        var _ = process.exit().whenComplete((_, _) -> ended.accept(worker));
      }
    } catch (IOException | RuntimeException e) {
      processes.values().forEach(TrainingProcess::kill);
      throw e;
    }
  }

  private static TrainingProcess start(
      Workers workers, JobId job, WorkerId worker, Path socket, PrintStream console)
      throws IOException {
    ProcessBuilder builder =
        new ProcessBuilder(workers.command())
            .directory(workers.folder().toFile())
            .redirectErrorStream(true);
    Map<String, String> environment = builder.environment();
    environment.putAll(workers.environment());
    String path = environment.getOrDefault("PYTHONPATH", "");
    environment.put(
        "PYTHONPATH", workers.pythonPackage() + (path.isEmpty() ? "" : File.pathSeparator + path));
    environment.put("PYTHONUNBUFFERED", "1");
    environment.put(SOCKET, socket.toString());
    environment.put(WORKER, worker.value());
    environment.put(JOB, job.toString());
    Process process = builder.start();
    process.getOutputStream().close();
    return new TrainingProcess(
        worker,
        process,
        new ProcessTree(process.toHandle(), socket, worker.value()),
        new WorkerLog(
            worker.value(),
            workers.logs().resolve(worker.value() + ".log"),
            WorkerLog.MAX_FILE_BYTES,
            console));
  }

  /// The exit code of a worker's process, to come or there; nothing where none was started.
  public synchronized Optional<CompletableFuture<Integer>> exitOf(WorkerId worker) {
    return Optional.ofNullable(processes.get(worker)).map(TrainingProcess::exit);
  }

  /// The exit codes of all, to come or there.
  public synchronized Map<WorkerId, CompletableFuture<Integer>> exits() {
    Map<WorkerId, CompletableFuture<Integer>> exits = new LinkedHashMap<>();
    processes.forEach((worker, process) -> exits.put(worker, process.exit()));
    return exits;
  }

  /// Ends all: asks, waits, and kills what is left after `grace`.
  public void stop(Duration grace, LongSupplier nanoTime) throws InterruptedException {
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
}
