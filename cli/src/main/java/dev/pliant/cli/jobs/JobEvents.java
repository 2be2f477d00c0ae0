package dev.pliant.cli.jobs;

import dev.pliant.master.journal.JournalLocation;
import dev.pliant.master.journal.JournalStore;
import dev.pliant.master.journal.JournalStores;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.views.EventText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Reads from a job's journal what people call events: decisions, and what became of masters,
/// nodes, worlds, workers and checkpoints. The many leases and commits are left out; `pliant
/// verify` counts those. May be read beside a master that writes.
public final class JobEvents {
  private final JobId job;
  private final Path journal;
  private final EventText text = new EventText();
  private long read;

  public JobEvents(JobId job, Path jobFolder) {
    this.job = job;
    this.journal = jobFolder.resolve("journal");
    if (!Files.isDirectory(journal)) {
      throw new PliantException(
          ErrorCode.UNKNOWN_JOB, "job %s has no journal here (%s).".formatted(job, journal));
    }
  }

  /// Gives `sink` everything since the last call, in order.
  public void more(Consumer<JobEvent> sink) throws IOException {
    try (JournalStore store = JournalStores.open(JournalLocation.folder(journal), job)) {
      store.replay(
          read,
          (batch, _) -> {
            long sequence = batch.getFirstSequence();
            for (Event event : batch.getEventsList()) {
              if (sequence > read) {
                text.note(event);
                text.of(event, sequence, batch.getAtMs()).map(JobEvent::of).ifPresent(sink);
                read = sequence;
              }
              sequence++;
            }
          });
    }
  }

  /// The newest, at most `count` of them, oldest first.
  public List<JobEvent> last(int count) throws IOException {
    List<JobEvent> all = new ArrayList<>();
    more(event -> {
      all.add(event);
      if (all.size() > count) {
        all.removeFirst();
      }
    });
    return all;
  }
}
