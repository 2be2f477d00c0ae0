package dev.pliant.cli;

import dev.pliant.cli.jobs.JobInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/// Ends a node that nobody will ever fetch: its supervisor and its master are both gone, and no
/// others have come for a while. One of the two alone is not missed, for the other sees to it.
/// Where no supervisor has ever been, somebody starts masters by hand, and the node waits for the
/// next.
final class OrphanWatch {
  private static final Duration LOOK = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private OrphanWatch() {}

  /// @param end ends the node in order
  static void start(Path jobFolder, Runnable end) {
    if (Files.exists(jobFolder.resolve("lock"))) {
      Thread.ofVirtual().name("orphan-watch").start(() -> watch(jobFolder, end));
    }
  }

  private static void watch(Path jobFolder, Runnable end) {
    long aloneSince = System.nanoTime();
    try {
      while (System.nanoTime() - aloneSince < PATIENCE.toNanos()) {
        Thread.sleep(LOOK);
        if (JobInfo.holder(jobFolder).isPresent() || JobInfo.masterLives(jobFolder)) {
          aloneSince = System.nanoTime();
        }
      }
      end.run();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (IOException e) {
      end.run(); // The job's folder is gone, and the job with it.
    }
  }
}
