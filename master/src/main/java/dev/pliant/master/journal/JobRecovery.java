package dev.pliant.master.journal;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.pliant.machine.JobState;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Batch;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.journal.v1.Snapshot;
import java.io.IOException;
import java.util.Optional;

/// Makes a job's state from its journal: the newest snapshot, then every event after it.
public final class JobRecovery {
  private JobRecovery() {}

  public static JobState recover(JournalStore store, JobId job) throws IOException {
    Optional<JournalStore.StoredSnapshot> snapshot = store.newestSnapshot();
    JobState state = snapshot.isPresent() ? restore(job, snapshot.get()) : new JobState(job);
    store.replay(state.events(), (batch, _) -> apply(state, batch));
    return state;
  }

  /// Whether the journal has ever been that of a job with nodes of its own. Read as far as it takes
  /// to know, which is not far where it was.
  public static boolean isDefined(JournalStore store) throws IOException {
    try {
      store.replay(
          0,
          (batch, _) -> {
            if (batch.getEventsList().stream().anyMatch(Event::hasJobDefined)) {
              throw new Found();
            }
          });
      return false;
    } catch (Found e) {
      return true;
    }
  }

  /// Ends a replay.
  private static final class Found extends IOException {
    private static final long serialVersionUID = 1;
  }

  private static JobState restore(JobId job, JournalStore.StoredSnapshot stored) {
    try {
      Snapshot snapshot = Snapshot.parseFrom(stored.bytes());
      if (!snapshot.getJob().equals(job.toString())) {
        throw new PliantException(
            ErrorCode.FOREIGN_JOURNAL,
            "the snapshot after event %d belongs to job %s, not to %s. Nothing was changed; name that job, or the folder of this one."
                .formatted(stored.sequence(), snapshot.getJob(), job));
      }
      return JobState.of(SnapshotCodec.decode(snapshot));
    } catch (InvalidProtocolBufferException e) {
      throw new PliantException(
          ErrorCode.DAMAGED_JOURNAL,
          "the snapshot after event %d of job %s cannot be read: %s"
              .formatted(stored.sequence(), job, e.getMessage()),
          e);
    }
  }

  private static void apply(JobState state, Batch batch) {
    long sequence = batch.getFirstSequence();
    for (Event event : batch.getEventsList()) {
      if (sequence++ > state.events()) {
        state.apply(EventCodec.decode(event), batch.getAtMs());
      }
    }
  }
}
