package dev.pliant.cli.run;

import dev.pliant.cli.jobs.LinePiece;
import dev.pliant.cli.jobs.LogFiles;
import dev.pliant.cli.jobs.LogFollower;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/// Shows what the workers print, from their logs: those of workers that are there now, and of those
/// that come. What lay there before the run is left out. For one thread.
final class WorkerOutput implements AutoCloseable {
  /// How often to look for logs of new workers; those that are known are read each time.
  private static final long LIST_NANOS = Duration.ofSeconds(1).toNanos();

  private final Path logs;
  private final Screen screen;
  private final LogFollower follower;
  private final Map<String, Integer> colours = new LinkedHashMap<>();
  private List<String> workers;
  private long listedNanos = System.nanoTime();

  WorkerOutput(Path logs, Screen screen) throws IOException {
    this.logs = logs;
    this.screen = screen;
    this.follower = new LogFollower(logs);
    this.workers = LogFiles.workers(logs);
    for (String worker : workers) {
      follower.skip(worker);
    }
  }

  /// Shows what is new, up to a bound; whether there was anything.
  boolean show() throws IOException {
    if (System.nanoTime() - listedNanos >= LIST_NANOS) {
      list();
    }
    boolean any = false;
    for (String worker : workers) {
      any |= follower.read(worker, new Printed());
    }
    return any;
  }

  private void list() throws IOException {
    workers = LogFiles.workers(logs);
    listedNanos = System.nanoTime();
  }

  /// Shows the rest, as far as it is not without end.
  void finish() throws IOException {
    list();
    for (int i = 0; i < 100 && show(); i++) {
      // Until nothing is left.
    }
    follower.finish(new Printed());
  }

  @Override
  public void close() throws IOException {
    follower.close();
  }

  private final class Printed implements LogFollower.Sink {
    @Override
    public void piece(String worker, LinePiece piece) {
      screen.worker(colours.computeIfAbsent(worker, _ -> colours.size()), worker, piece);
    }

    @Override
    public void leftOut(String worker, long bytes) {
      screen.say(
          "[%s] … %,d bytes are not shown; see %s"
              .formatted(worker, bytes, LogFiles.file(logs, worker)));
    }
  }
}
