package dev.pliant.master.journal;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/// Where a job's journal is kept. [JournalStores] opens it.
public sealed interface JournalLocation {
  /// Files in a folder.
  record Folder(Disk disk) implements JournalLocation {}

  /// Memory of this process, for tests and simulations: it is lost with the process.
  record Memory(MemoryJournal journal) implements JournalLocation {}

  /// A folder that exists.
  static JournalLocation folder(Path folder) {
    return new Folder(FolderDisk.of(folder));
  }

  /// The journal in a job's folder, to be read.
  ///
  /// @throws PliantException where there is none
  static JournalLocation ofJob(JobId job, Path jobFolder) {
    Path journal = jobFolder.resolve("journal");
    if (!Files.isDirectory(journal)) {
      throw new PliantException(
          ErrorCode.UNKNOWN_JOB,
          "job %s has no journal here (%s); was it run on this machine?".formatted(job, journal));
    }
    return folder(journal);
  }

  /// A folder, created where it does not exist, readable by its owner only.
  static JournalLocation createdFolder(Path folder) throws IOException {
    return new Folder(FolderDisk.make(folder));
  }

  /// An empty journal in memory.
  static JournalLocation memory() {
    return new Memory(new MemoryJournal());
  }
}
