package dev.pliant.master.journal;

import dev.pliant.model.JobId;

/// Opens journals. Nothing is read or written before the first call on the store.
public final class JournalStores {
  private JournalStores() {}

  public static JournalStore open(JournalLocation location, JobId job) {
    return open(location, job, 0);
  }

  /// @param epochAbove the next master's epoch is higher than this, whatever the journal says: a
  ///   journal may be lost while its last epoch is known elsewhere
  public static JournalStore open(JournalLocation location, JobId job, long epochAbove) {
    return switch (location) {
      case JournalLocation.Folder(Disk disk) -> new FolderStore(disk, job, epochAbove);
      case JournalLocation.Memory(MemoryJournal journal) ->
          new MemoryStore(journal, job, epochAbove);
    };
  }
}
