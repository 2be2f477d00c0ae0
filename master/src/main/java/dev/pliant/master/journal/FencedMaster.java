package dev.pliant.master.journal;

import dev.pliant.model.ErrorCode;
import dev.pliant.model.JobId;
import dev.pliant.model.PliantException;

/// The refusal that a master gets whose journal a newer master has claimed.
final class FencedMaster {
  private FencedMaster() {}

  static PliantException of(long epoch, JobId job) {
    return new PliantException(
        ErrorCode.FENCED,
        "a newer master than epoch %d has taken over job %s.".formatted(epoch, job));
  }
}
