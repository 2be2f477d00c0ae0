package dev.pliant.cli.run;

import dev.pliant.agent.json.JsonObject;
import dev.pliant.agent.json.JsonReader;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;

/// The nodes of a job that still run on this machine, by what their agents have written down. Their
/// master starts and ends them; this is for when there is none that could.
record LocalNodes(Path folder) {
  private static final Duration KILL_BOUND = Duration.ofSeconds(10);
  private static final long CLOCK_MILLIS = 1_000;

  static LocalNodes of(Path jobFolder) {
    return new LocalNodes(jobFolder.resolve("nodes"));
  }

  /// Ends them: asks first, and kills what is left after `grace`. An agent takes its training
  /// processes with it, however it ends.
  void end(Duration grace) throws IOException {
    List<ProcessHandle> left = alive();
    if (left.isEmpty()) {
      return;
    }
    if (!grace.isZero()) {
      left.forEach(ProcessHandle::destroy);
    }
    if (grace.isZero() || !ended(left, grace)) {
      left.forEach(ProcessHandle::destroyForcibly);
      boolean unused = ended(left, KILL_BOUND);
    }
  }

  /// Those that run.
  List<ProcessHandle> alive() throws IOException {
    if (!Files.isDirectory(folder)) {
      return List.of();
    }
    try (Stream<Path> files = Files.list(folder)) {
      return files
          .filter(file -> file.getFileName().toString().matches("[a-z0-9]+-\\d+\\.json"))
          .flatMap(file -> process(file).stream())
          .toList();
    }
  }

  private static Optional<ProcessHandle> process(Path file) {
    try {
      JsonObject json = JsonReader.read(Files.readAllBytes(file));
      long started = json.number("startMillis");
      return ProcessHandle.of(json.number("pid"))
          .filter(ProcessHandle::isAlive)
          .filter(process -> isOf(process, started));
    } catch (IOException | PliantException e) {
      return Optional.empty(); // Of a node that is being made or taken away.
    }
  }

  /// A pid is given again; the start tells them apart.
  private static boolean isOf(ProcessHandle process, long startMillis) {
    return process
        .info()
        .startInstant()
        .map(Instant::toEpochMilli)
        .map(start -> Math.abs(start - startMillis) <= CLOCK_MILLIS)
        .orElse(false);
  }

  private static boolean ended(List<ProcessHandle> processes, Duration bound) {
    CompletableFuture<?>[] ends =
        processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(ends).get(bound.toMillis(), TimeUnit.MILLISECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException(e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
