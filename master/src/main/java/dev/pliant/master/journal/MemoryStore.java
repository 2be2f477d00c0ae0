package dev.pliant.master.journal;

import com.google.protobuf.InvalidProtocolBufferException;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Batch;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/// A journal in memory. The epoch is compared and the batch is added in one step, so nothing of a
/// fenced master is ever stored.
final class MemoryStore implements JournalStore {
  private final MemoryJournal journal;
  private final JobId job;
  private final long epochAbove;
  private volatile long epoch;
  private boolean begun;
  private long bytesSinceSnapshot;

  MemoryStore(MemoryJournal journal, JobId job, long epochAbove) {
    this.journal = journal;
    this.job = job;
    this.epochAbove = epochAbove;
  }

  @Override
  public void checkVersion() {
    // This process wrote all of it.
  }

  @Override
  public long claim() {
    synchronized (journal) {
      journal.epoch = Math.max(journal.epoch, epochAbove) + 1;
      epoch = journal.epoch;
      return epoch;
    }
  }

  @Override
  public boolean isFenced() {
    synchronized (journal) {
      return journal.epoch != epoch;
    }
  }

  @Override
  public Optional<StoredSnapshot> newestSnapshot() {
    synchronized (journal) {
      return journal.snapshots.descendingMap().values().stream()
          .filter(MemoryJournal.Entry::isWhole)
          .findFirst()
          .map(entry -> new StoredSnapshot(entry.sequence(), entry.bytes().clone()));
    }
  }

  @Override
  public void replay(long sequence, BatchVisitor visitor) throws IOException {
    List<MemoryJournal.Entry> batches;
    synchronized (journal) {
      checkJob();
      batches = List.copyOf(journal.batches);
    }
    bytesSinceSnapshot = 0;
    long next = 1;
    long offset = 0;
    for (int i = 0; i < batches.size(); i++) {
      MemoryJournal.Entry entry = batches.get(i);
      if (!entry.isWhole()) {
        if (batches.stream().skip(i + 1L).anyMatch(MemoryJournal.Entry::isWhole)) {
          throw damaged(next, "a whole batch follows it");
        }
        return; // A torn tail: its writer was not answered.
      }
      if (entry.sequence() != next) {
        throw damaged(next, "the next batch begins with event %d".formatted(entry.sequence()));
      }
      Batch batch = parse(entry);
      next += batch.getEventsCount();
      if (next > sequence + 1) {
        visitor.visit(batch, new Position("memory", offset));
        bytesSinceSnapshot += entry.bytes().length;
      }
      offset += entry.bytes().length;
    }
  }

  private Batch parse(MemoryJournal.Entry entry) {
    try {
      return Batch.parseFrom(entry.bytes());
    } catch (InvalidProtocolBufferException e) {
      throw damaged(entry.sequence(), "it cannot be read: " + e.getMessage());
    }
  }

  private PliantException damaged(long event, String what) {
    return new PliantException(
        ErrorCode.DAMAGED_JOURNAL,
        "the journal of job %s in memory is damaged at event %d: %s.".formatted(job, event, what));
  }

  private void checkJob() {
    if (journal.job != null && !journal.job.equals(job.toString())) {
      throw new PliantException(
          ErrorCode.FOREIGN_JOURNAL,
          "the journal in memory belongs to job %s, not to %s.".formatted(journal.job, job));
    }
  }

  @Override
  public void begin(long nextSequence) {
    synchronized (journal) {
      checkFence();
      checkJob();
      journal.job = job.toString();
      journal.batches.removeIf(entry -> entry.sequence() >= nextSequence);
      begun = true;
    }
  }

  @Override
  public void append(Batch batch) throws IOException {
    if (!begun) {
      throw new IOException("the journal is not open for writing");
    }
    byte[] bytes = batch.toByteArray();
    synchronized (journal) {
      checkFence();
      journal.batches.add(MemoryJournal.Entry.of(batch.getFirstSequence(), bytes));
    }
    bytesSinceSnapshot += bytes.length;
  }

  private void checkFence() {
    if (isFenced()) {
      throw FencedMaster.of(epoch, job);
    }
  }

  @Override
  public long bytesSinceSnapshot() {
    return bytesSinceSnapshot;
  }

  @Override
  public void roll(long nextSequence) {
    checkFence();
    bytesSinceSnapshot = 0;
  }

  @Override
  public void saveSnapshot(long sequence, byte[] bytes) {
    synchronized (journal) {
      journal.snapshots.put(sequence, MemoryJournal.Entry.of(sequence, bytes));
      while (journal.snapshots.size() > KEPT_SNAPSHOTS) {
        journal.snapshots.pollFirstEntry();
      }
    }
  }

  @Override
  public void close() {
    begun = false;
  }
}
