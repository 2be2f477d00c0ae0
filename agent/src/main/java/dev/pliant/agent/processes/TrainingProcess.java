package dev.pliant.agent.processes;

import dev.pliant.model.WorkerId;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/// One training process: followed from its start until it and all it started are gone.
final class TrainingProcess {
  private static final Logger log = LoggerFactory.getLogger(TrainingProcess.class);

  /// How long what it started may outlive it, having been asked to end: 3 s. They are no children
  /// of this process, so nobody tells when they are gone.
  private static final int ORPHAN_LOOKS = 150;

  private static final long ORPHAN_LOOK_MILLIS = 20;

  /// How long to read on after its end, for what something else still holds open.
  private static final long LAST_WORDS_MILLIS = 1_000;

  private final WorkerId worker;
  private final Process process;
  private final ProcessTree tree;
  private final OutOfMemory memory;
  private final Thread pump;
  private final CompletableFuture<ProcessEnd> exited = new CompletableFuture<>();
  private final CompletableFuture<Integer> cleared = new CompletableFuture<>();
  private volatile @Nullable String killedBecause;

  TrainingProcess(
      WorkerId worker, Process process, ProcessTree tree, OutOfMemory memory, WorkerLog output) {
    this.worker = worker;
    this.process = process;
    this.tree = tree;
    this.memory = memory;
    this.pump =
        Thread.ofPlatform()
            .daemon()
            .name("pliant-output-" + worker)
            .unstarted(() -> output.follow(process.getInputStream()));
  }

  /// Begins to follow it.
  void follow() {
    pump.start();
    Thread.ofVirtual().name("pliant-process-" + worker).start(this::watch);
  }

  long pid() {
    return process.pid();
  }

  /// How it ended, the moment it has; what it started may still be there.
  CompletableFuture<ProcessEnd> exited() {
    return exited;
  }

  /// Its exit code, once all it started is gone and all it printed is read.
  CompletableFuture<Integer> cleared() {
    return cleared;
  }

  /// Asks it, and what it started, to end.
  void terminate() {
    if (!cleared.isDone()) {
      Set<ProcessHandle> descendants = tree.descendants();
      process.toHandle().destroy(); // Process.destroy would also shut its output, unread.
      descendants.forEach(ProcessHandle::destroy);
    }
  }

  /// Ends it, and what it started, at once.
  void kill() {
    if (!cleared.isDone()) {
      Set<ProcessHandle> descendants = tree.descendants();
      process.toHandle().destroyForcibly();
      descendants.forEach(ProcessHandle::destroyForcibly);
    }
  }

  /// The same, with a reason that becomes part of how it ended.
  void kill(String because) {
    killedBecause = because;
    kill();
  }

  /// Waits for its end; says whether it came in time.
  boolean await(long nanos) throws InterruptedException {
    try {
      cleared.get(Math.max(0, nanos), TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException _) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("the exit of a process never fails", e);
    }
  }

  private void watch() {
    ProcessEnd end = new ProcessEnd(255, "its end could not be followed");
    try {
      end = judge(process.waitFor());
      exited.complete(end);
      endOrphans();
      pump.join(LAST_WORDS_MILLIS);
      if (pump.isAlive()) {
        process.getInputStream().close();
      }
    } catch (InterruptedException | IOException | RuntimeException e) {
      log.warn("worker {}: its end could not be followed: {}", worker, e.toString());
    } finally {
      exited.complete(end);
      cleared.complete(end.code());
    }
  }

  private ProcessEnd judge(int code) {
    String because = killedBecause;
    if (code != ProcessEnd.KILLED) {
      return new ProcessEnd(code, "");
    }
    if (because != null) {
      return new ProcessEnd(code, because);
    }
    return memory.hasStruck()
        ? new ProcessEnd(ProcessEnd.OUT_OF_MEMORY, "killed for lack of memory")
        : new ProcessEnd(code, "killed");
  }

  /// One that has ended stays to be seen until its parent takes note, which may be somebody slow.
  private static boolean runs(ProcessHandle process) {
    return process.isAlive()
        && ProcFiles.of(process.pid()).filter(stat -> stat.state() == 'Z').isEmpty();
  }

  /// What a process leaves behind holds its socket, its files and its accelerator.
  private void endOrphans() throws InterruptedException {
    Set<ProcessHandle> orphans = tree.descendants();
    if (orphans.isEmpty()) {
      return;
    }
    log.debug("worker {} left {} processes behind; ending them", worker, orphans.size());
    orphans.forEach(ProcessHandle::destroy);
    for (int i = 0; i < ORPHAN_LOOKS && orphans.stream().anyMatch(TrainingProcess::runs); i++) {
      Thread.sleep(ORPHAN_LOOK_MILLIS);
    }
    tree.descendants().forEach(ProcessHandle::destroyForcibly);
  }
}
