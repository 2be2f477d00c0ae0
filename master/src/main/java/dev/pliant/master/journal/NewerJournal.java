package dev.pliant.master.journal;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.PliantException;

/// What a journal says that this Pliant does not know.
final class NewerJournal {
  private NewerJournal() {}

  static PliantException with(String what) {
    return new PliantException(
        ErrorCode.NEWER_JOURNAL,
        "the journal has %s that a newer Pliant has written; use that one.".formatted(what));
  }
}
