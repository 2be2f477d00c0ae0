package dev.pliant.master.journal;

import dev.pliant.protocol.journal.v1.Batch;
import java.io.IOException;
import java.util.Optional;

/// Where a job's journal lives: batches of events in order, and snapshots. One master writes at a
/// time: [#claim] takes a higher epoch, and from then on every append of an older master fails.
///
/// Used by one thread, but for [#saveSnapshot], which may run beside it.
public interface JournalStore extends AutoCloseable {
  /// How many snapshots are kept: one to start from, one in case that one is damaged.
  int KEPT_SNAPSHOTS = 2;

  /// A state that replay can start from.
  @SuppressWarnings("ArrayRecordComponent") // Read once.
  record StoredSnapshot(long sequence, byte[] bytes) {}

  /// Where a batch is stored.
  ///
  /// @param segment the file, or what the store has instead
  /// @param offset the first byte of the batch in it
  record Position(String segment, long offset) {}

  /// What [#replay] calls.
  @FunctionalInterface
  interface BatchVisitor {
    void visit(Batch batch, Position position) throws IOException;
  }

  /// Refuses a journal of another format version with `JOURNAL_VERSION`. Changes nothing.
  void checkVersion() throws IOException;

  /// Takes the next epoch, which fences every master before. Includes [#checkVersion].
  long claim() throws IOException;

  /// The newest snapshot that is whole.
  Optional<StoredSnapshot> newestSnapshot() throws IOException;

  /// Visits every batch that has an event after `sequence`, in order. A torn tail is left out;
  /// damage before the end is a `DAMAGED_JOURNAL` that says where.
  void replay(long sequence, BatchVisitor visitor) throws IOException;

  /// Gets ready to append from `nextSequence` on, after [#claim] and [#replay].
  void begin(long nextSequence) throws IOException;

  /// Appends a batch. On return it is on disk, and no newer master had claimed the journal before
  /// it was. `FENCED` if one has. After an [IOException] nothing may be appended until [#begin].
  void append(Batch batch) throws IOException;

  /// Whether a newer master has claimed the journal. For any thread, after [#claim].
  boolean isFenced();

  /// Bytes appended since the newest snapshot.
  long bytesSinceSnapshot();

  /// Starts a new segment, so that a snapshot up to here replaces whole ones.
  void roll(long nextSequence) throws IOException;

  /// Keeps a snapshot of the state after event `sequence`.
  void saveSnapshot(long sequence, byte[] bytes) throws IOException;

  @Override
  void close() throws IOException;
}
