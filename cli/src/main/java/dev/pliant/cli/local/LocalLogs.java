package dev.pliant.cli.local;

import dev.pliant.cli.jobs.JobInfo;
import dev.pliant.cli.jobs.Jobs.LogWish;
import dev.pliant.cli.jobs.LogFiles;
import dev.pliant.cli.jobs.LogFollower;
import dev.pliant.cli.jobs.StateHome;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/// The logs in a job's folder, as far as they are wanted.
final class LocalLogs {
  private static final Duration PAUSE = Duration.ofMillis(100);
  private static final Duration LOOK = Duration.ofSeconds(2);

  private final StateHome home;
  private final JobId job;
  private final LogWish wish;
  private final LogFollower.Sink sink;
  private final Path logs;

  LocalLogs(StateHome home, JobId job, LogWish wish, LogFollower.Sink sink) {
    this.home = home;
    this.job = job;
    this.wish = wish;
    this.sink = sink;
    this.logs = home.existing(job).resolve("logs");
  }

  void show() throws IOException, InterruptedException {
    if (!wish.worker().isEmpty() && !wish.follow() && names().isEmpty()) {
      throw new PliantException(
          ErrorCode.UNKNOWN_WORKER,
          "job %s has no log of '%s'; there are those of %s."
              .formatted(job, wish.worker(), LogFiles.all(logs)));
    }
    try (LogFollower follower = new LogFollower(logs, Long.MAX_VALUE)) {
      for (String name : names()) {
        if (wish.tail() < 0) {
          while (follower.read(name, sink)) {
            sink.pause(); // A long log, and nobody who wants to see the rest of it, is left there.
          }
        } else {
          follower.last(name, wish.tail(), sink);
        }
      }
      if (wish.follow()) {
        follow(follower);
      }
      follower.finish(sink);
    }
  }

  private void follow(LogFollower follower) throws IOException, InterruptedException {
    long looked = System.nanoTime();
    boolean running = JobInfo.runsNow(home, job);
    while (true) {
      boolean any = false;
      for (String name : names()) {
        any |= follower.read(name, sink);
      }
      sink.pause();
      if (!any && !running) {
        return;
      }
      if (!any) {
        Thread.sleep(PAUSE);
      }
      if (System.nanoTime() - looked > LOOK.toNanos()) {
        looked = System.nanoTime();
        running = JobInfo.runsNow(home, job);
      }
    }
  }

  private List<String> names() throws IOException {
    boolean any = wish.all() || !wish.worker().isEmpty();
    List<String> names = any ? LogFiles.all(logs) : LogFiles.workers(logs);
    return wish.worker().isEmpty() ? names : names.stream().filter(wish.worker()::equals).toList();
  }
}
