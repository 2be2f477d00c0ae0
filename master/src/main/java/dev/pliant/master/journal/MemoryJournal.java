package dev.pliant.master.journal;

import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// What all stores of one journal in memory share. They hold its lock while they use it.
public final class MemoryJournal {
  /// A batch or a snapshot. The checksum tells whether the bytes are what was written.
  @SuppressWarnings("ArrayRecordComponent") // Compared by nobody.
  record Entry(long sequence, byte[] bytes, int checksum) {
    static Entry of(long sequence, byte[] bytes) {
      return new Entry(sequence, bytes.clone(), checksum(bytes));
    }

    boolean isWhole() {
      return checksum(bytes) == checksum;
    }

    private static int checksum(byte[] bytes) {
      CRC32C crc = new CRC32C();
      crc.update(bytes);
      return (int) crc.getValue();
    }
  }

  /// The job of the first writer.
  @Nullable String job;

  long epoch;

  /// Batches in order, each under its first event.
  final List<Entry> batches = new ArrayList<>();

  /// Snapshots by the last event that they hold.
  final TreeMap<Long, Entry> snapshots = new TreeMap<>();
}
