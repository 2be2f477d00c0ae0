package dev.pliant.master.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.journal.v1.Batch;
import dev.pliant.protocol.journal.v1.Event;
import dev.pliant.protocol.journal.v1.MasterStarted;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/// What a master relies on in every [JournalStore]. A subclass says where the journal is, and how
/// to break it.
abstract class JournalStoreContract {
  /// A journal to be broken. All batches were written by one store since its `begin`.
  interface Harness {
    JournalLocation location();

    /// Loses the end of the last batch, as a machine does that dies while it writes.
    void cutTail() throws IOException;

    /// Changes one byte of a batch, counted from 0.
    void flipByteOfBatch(int batch) throws IOException;

    /// Changes one byte of the snapshot after event `sequence`.
    void flipByteOfSnapshot(long sequence) throws IOException;
  }

  static final JobId JOB = new JobId("default", "contract");

  private Harness harness;

  abstract Harness harness() throws IOException;

  @BeforeEach
  void open() throws IOException {
    harness = harness();
  }

  private JournalStore store() {
    return JournalStores.open(harness.location(), JOB);
  }

  /// A store that is ready to append, as a master makes it.
  private JournalStore writer() throws IOException {
    JournalStore store = store();
    long _ = store.claim();
    store.begin(read(store, 0).size() + 1L);
    return store;
  }

  /// A batch whose events carry numbers to be known by.
  private static Batch batch(long firstSequence, long... marks) {
    Batch.Builder batch = Batch.newBuilder().setFirstSequence(firstSequence).setAtMs(7);
    for (long mark : marks) {
      batch.addEvents(
          Event.newBuilder().setMasterStarted(MasterStarted.newBuilder().setEpoch(mark)));
    }
    return batch.build();
  }

  /// The marks of all events in the batches that are visited.
  private static List<Long> read(JournalStore store, long sequence) throws IOException {
    List<Long> marks = new ArrayList<>();
    store.replay(
        sequence,
        (batch, _) ->
            batch.getEventsList().forEach(event -> marks.add(event.getMasterStarted().getEpoch())));
    return marks;
  }

  private List<Long> read() throws IOException {
    try (JournalStore reader = store()) {
      return read(reader, 0);
    }
  }

  private static void assertRefused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(PliantException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  // Claim.

  @Test
  void everyClaimTakesAHigherEpoch() throws IOException {
    assertThat(store().claim()).isEqualTo(1);
    assertThat(store().claim()).isEqualTo(2);
  }

  @Test
  void aClaimIsAboveAnEpochThatWasKnownElsewhere() throws IOException {
    assertThat(JournalStores.open(harness.location(), JOB, 6).claim()).isEqualTo(7);
    assertThat(store().claim()).isEqualTo(8);
  }

  @Test
  void anEpochIsNotTakenAgainAfterItsMasterWrote() throws IOException {
    try (JournalStore first = writer()) {
      first.append(batch(1, 1));
    }
    assertThat(store().claim()).isEqualTo(2);
  }

  @Test
  void aJournalOfAnotherJobIsRefusedAndNotCalledDamaged() throws IOException {
    try (JournalStore store = writer()) {
      store.append(batch(1, 1));
    }
    JobId other = new JobId("research", "contract");
    try (JournalStore foreign = JournalStores.open(harness.location(), other)) {
      assertRefused(ErrorCode.FOREIGN_JOURNAL, () -> read(foreign, 0));
      assertThatThrownBy(() -> read(foreign, 0))
          .hasMessageContaining("belongs to job default/contract, not to research/contract")
          .hasMessageNotContainingAny("damaged", "anew");
    }
  }

  // Append.

  @Test
  void anEmptyJournalHasNothing() throws IOException {
    assertThat(read()).isEmpty();
    assertThat(store().newestSnapshot()).isEmpty();
  }

  @Test
  void whatWasAppendedIsReadInOrderByOneThatNeverClaimed() throws IOException {
    try (JournalStore store = writer()) {
      store.append(batch(1, 10, 11));
      assertThat(read()).containsExactly(10L, 11L);
      store.append(batch(3, 12));
      assertThat(read()).containsExactly(10L, 11L, 12L);
    }
    assertThat(read()).containsExactly(10L, 11L, 12L);
  }

  @Test
  void onlyBatchesWithALaterEventAreVisited() throws IOException {
    try (JournalStore store = writer()) {
      store.append(batch(1, 10, 11));
      store.append(batch(3, 12, 13));
      store.append(batch(5, 14));
    }
    try (JournalStore reader = store()) {
      assertThat(read(reader, 2)).containsExactly(12L, 13L, 14L);
      assertThat(read(reader, 3)).containsExactly(12L, 13L, 14L);
      assertThat(read(reader, 4)).containsExactly(14L);
      assertThat(read(reader, 5)).isEmpty();
    }
  }

  @Test
  void nothingIsAppendedBeforeBegin() throws IOException {
    JournalStore store = store();
    assertThat(store.claim()).isEqualTo(1);
    assertThatThrownBy(() -> store.append(batch(1, 1))).isInstanceOf(IOException.class);
    assertThat(read()).isEmpty();
  }

  @Test
  void aMasterThatWroteNothingLeavesItsPlaceToTheNext() throws IOException {
    writer().close();
    try (JournalStore store = writer()) {
      store.append(batch(1, 10));
    }
    assertThat(read()).containsExactly(10L);
  }

  // Fence.

  @Test
  void aNewerClaimFencesTheOlderMaster() throws IOException {
    try (JournalStore old = writer()) {
      old.append(batch(1, 10));
      assertThat(old.isFenced()).isFalse();

      JournalStore young = store();
      assertThat(young.claim()).isEqualTo(2);

      assertThat(old.isFenced()).isTrue();
      assertThat(young.isFenced()).isFalse();
      assertRefused(ErrorCode.FENCED, () -> old.append(batch(2, 11)));
      assertRefused(ErrorCode.FENCED, () -> old.roll(2));
      assertRefused(ErrorCode.FENCED, () -> old.begin(2));
    }
  }

  @Test
  void aSecondWriterIsNeverRead() throws IOException {
    try (JournalStore old = writer();
        JournalStore young = store()) {
      old.append(batch(1, 10));
      assertThat(young.claim()).isEqualTo(2);
      assertThat(read(young, 0)).containsExactly(10L);
      assertRefused(ErrorCode.FENCED, () -> old.append(batch(2, 66, 67)));
      young.begin(2);
      assertThat(read()).containsExactly(10L);
      assertRefused(ErrorCode.FENCED, () -> old.append(batch(4, 68)));
      young.append(batch(2, 11));
      assertThat(read()).containsExactly(10L, 11L);
      young.append(batch(3, 12));
    }
    assertThat(read()).containsExactly(10L, 11L, 12L);
  }

  // Torn tail and damage.

  @Test
  void aTornTailIsLeftOutAndWrittenAnew() throws IOException {
    try (JournalStore store = writer()) {
      store.append(batch(1, 10, 11));
      store.append(batch(3, 12, 13));
    }
    harness.cutTail();
    assertThat(read()).containsExactly(10L, 11L);

    try (JournalStore next = writer()) {
      next.append(batch(3, 22));
    }
    assertThat(read()).containsExactly(10L, 11L, 22L);
  }

  @Test
  void aLastBatchWithAWrongByteIsATornTail() throws IOException {
    try (JournalStore store = writer()) {
      store.append(batch(1, 10));
      store.append(batch(2, 11));
    }
    harness.flipByteOfBatch(1);

    assertThat(read()).containsExactly(10L);
  }

  @Test
  void aWrongByteBeforeAWholeBatchIsDamage() throws IOException {
    try (JournalStore store = writer()) {
      store.append(batch(1, 10));
      store.append(batch(2, 11));
      store.append(batch(3, 12));
    }
    harness.flipByteOfBatch(1);

    assertRefused(ErrorCode.DAMAGED_JOURNAL, this::read);
    assertThatThrownBy(this::read).hasMessageContaining("is damaged at");
  }

  // Snapshots.

  @Test
  void theNewestSnapshotIsFoundAndTheOneBeforeItIfThatIsDamaged() throws IOException {
    try (JournalStore store = writer()) {
      for (long sequence : LongStream.rangeClosed(1, 3).toArray()) {
        store.append(batch(sequence, sequence));
        store.saveSnapshot(sequence, new byte[] {(byte) sequence, 9});
      }
    }
    assertSnapshot(3);
    harness.flipByteOfSnapshot(3);
    assertSnapshot(2);
    harness.flipByteOfSnapshot(2);
    assertThat(store().newestSnapshot()).as("more than two are not kept").isEmpty();
    assertThat(read()).containsExactly(1L, 2L, 3L);
  }

  private void assertSnapshot(long sequence) throws IOException {
    JournalStore.StoredSnapshot found = store().newestSnapshot().orElseThrow();
    assertThat(found.sequence()).isEqualTo(sequence);
    assertThat(found.bytes()).isEqualTo(new byte[] {(byte) sequence, 9});
  }

  @Test
  void bytesAreCountedFromTheSnapshot() throws IOException {
    int one = batch(1, 1).getSerializedSize();
    try (JournalStore store = writer()) {
      assertThat(store.bytesSinceSnapshot()).isZero();
      store.append(batch(1, 1));
      store.append(batch(2, 2));
      assertThat(store.bytesSinceSnapshot()).isEqualTo(2L * one);
      store.roll(3);
      assertThat(store.bytesSinceSnapshot()).isZero();
      store.append(batch(3, 3));
      assertThat(store.bytesSinceSnapshot()).isEqualTo(one);
    }
    try (JournalStore reader = store()) {
      assertThat(read(reader, 2)).containsExactly(3L);
      assertThat(reader.bytesSinceSnapshot()).isEqualTo(one);
    }
  }

  @Test
  void whatWasWrittenBeforeARollIsKept() throws IOException {
    try (JournalStore store = writer()) {
      store.append(batch(1, 10, 11));
      store.roll(3);
      store.append(batch(3, 12));
      store.roll(4);
    }
    try (JournalStore reader = store()) {
      assertThat(read(reader, 0)).containsExactly(10L, 11L, 12L);
      assertThat(read(reader, 2)).containsExactly(12L);
    }
  }
}
