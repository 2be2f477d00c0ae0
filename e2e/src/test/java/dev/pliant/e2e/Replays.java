package dev.pliant.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.replay.JobReplay;
import dev.pliant.master.replay.Replayed;
import dev.pliant.model.JobId;
import java.io.IOException;
import java.nio.file.Path;

/// Decides again what is in the journal of a job that was run for a test.
final class Replays {
  private Replays() {}

  /// @param jobFolder the folder that has the job's journal
  static void assertNoDifference(JobId job, Path jobFolder) throws IOException {
    Replayed replayed = JobReplay.of(job, JournalLocation.ofJob(job, jobFolder));
    assertThat(replayed.difference()).as("replay of job %s", job).isEmpty();
    assertThat(replayed.commands()).as("commands decided again").isPositive();
    System.out.printf(
        "replay of job %s: %,d commands, %,d events, %,d decisions, no difference%n",
        job, replayed.commands(), replayed.events(), replayed.decisions());
  }
}
