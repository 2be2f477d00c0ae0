package dev.pliant.master.journal;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;

/// The version of the journal's format. A master reads the version that it writes and no other.
final class JournalVersion {
  /// Raised with every change of the format.
  static final int CURRENT = 3;

  private JournalVersion() {}

  static PliantException unsupported(JobId job, String file, int version) {
    return new PliantException(
        ErrorCode.JOURNAL_VERSION,
        "%s in the journal of job %s has format version %d, and this Pliant reads only version %d; %s. Nothing was changed."
            .formatted(
                file,
                job,
                version,
                CURRENT,
                version < CURRENT
                    ? "run the job again with --replace, or finish it with the older Pliant that began it"
                    : "use the newer Pliant that wrote it"));
  }

  /// @param what a value that this version does not have
  static PliantException unknown(String what) {
    return new PliantException(
        ErrorCode.JOURNAL_VERSION,
        "the journal has %s that this Pliant does not know; use the newer Pliant that wrote it."
            .formatted(what));
  }
}
