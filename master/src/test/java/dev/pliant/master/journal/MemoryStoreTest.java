package dev.pliant.master.journal;

import dev.pliant.master.journal.MemoryJournal.Entry;
import java.util.Arrays;
import java.util.Objects;

class MemoryStoreTest extends JournalStoreContract {
  @Override
  Harness harness() {
    MemoryJournal journal = new MemoryJournal();
    return new Harness() {
      @Override
      public JournalLocation location() {
        return new JournalLocation.Memory(journal);
      }

      @Override
      public void cutTail() {
        Entry last = journal.batches.removeLast();
        byte[] half = Arrays.copyOf(last.bytes(), last.bytes().length / 2);
        journal.batches.add(new Entry(last.sequence(), half, last.checksum()));
      }

      @Override
      public void flipByteOfBatch(int batch) {
        flip(journal.batches.get(batch));
      }

      @Override
      public void flipByteOfSnapshot(long sequence) {
        flip(Objects.requireNonNull(journal.snapshots.get(sequence)));
      }

      private void flip(Entry entry) {
        entry.bytes()[entry.bytes().length - 1] ^= 0x10;
      }
    };
  }
}
