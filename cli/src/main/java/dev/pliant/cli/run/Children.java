package dev.pliant.cli.run;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/// The processes a supervisor has started, written down by pid and start time. Should it be killed,
/// they end by themselves within moments; the next supervisor of the job waits for that, and ends
/// those that do not.
final class Children {
  private static final Duration PATIENCE = Duration.ofSeconds(10);

  private final Path file;

  private Children(Path file) {
    this.file = file;
  }

  static Children of(Path jobFolder) {
    return new Children(jobFolder.resolve("children"));
  }

  void add(ProcessHandle child) throws IOException {
    Files.writeString(
        file,
        "%d %s%n".formatted(child.pid(), started(child)),
        StandardOpenOption.CREATE,
        StandardOpenOption.APPEND);
  }

  /// Waits until none of those written down is left, then forgets them.
  void awaitEnd() throws IOException {
    if (!Files.exists(file)) {
      return;
    }
    List<ProcessHandle> left =
        Files.readAllLines(file).stream().flatMap(line -> alive(line).stream()).toList();
    if (!ended(left)) {
      left.forEach(ProcessHandle::destroyForcibly);
      boolean unused = ended(left);
    }
    Files.delete(file);
  }

  /// The process of that pid, if it is still the one that was meant.
  private static Optional<ProcessHandle> alive(String line) {
    String[] parts = line.split(" ", 2);
    if (parts.length != 2 || !parts[0].matches("\\d{1,18}")) {
      return Optional.empty(); // The line was cut off by a crash.
    }
    return ProcessHandle.of(Long.parseLong(parts[0]))
        .filter(ProcessHandle::isAlive)
        .filter(process -> started(process).equals(parts[1]));
  }

  private static String started(ProcessHandle process) {
    return process.info().startInstant().map(Instant::toString).orElse("unknown");
  }

  private static boolean ended(List<ProcessHandle> processes) {
    CompletableFuture<?>[] ends =
        processes.stream().map(ProcessHandle::onExit).toArray(CompletableFuture[]::new);
    try {
      CompletableFuture.allOf(ends).get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
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
