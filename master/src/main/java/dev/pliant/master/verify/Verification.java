package dev.pliant.master.verify;

import dev.pliant.model.DatasetSpec;
import dev.pliant.model.JobId;
import java.time.Instant;
import java.util.List;

/// What was found.
///
/// @param events events in the journal
/// @param lineage how often a checkpoint was restored; what is counted lies on the lineage that
///   survived
public record Verification(JobId job, long events, long lineage, List<Dataset> datasets) {
  public Verification {
    datasets = List.copyOf(datasets);
  }

  /// Whether every record has the completions it must have.
  public boolean holds() {
    return datasets.stream().allMatch(Dataset::holds);
  }

  /// Whether every record of every epoch of every dataset is done, once.
  public boolean complete() {
    return holds() && datasets.stream().allMatch(Dataset::complete);
  }

  /// One dataset. Records are counted over all epochs.
  ///
  /// @param before how many of the done ones this journal did not see done: they were before it
  ///   began, says the checkpoint that it was given
  /// @param epoch the oldest epoch that is not wholly done
  /// @param waiting records still to be leased or committed; of a stream, those that are known
  /// @param faults shards (or steps) with more or less than one completion; none, unless something
  ///   is wrong. At most [#MAX_FAULTS] are listed.
  /// @param faultCount how many there are
  /// @param failure why the dataset failed; empty where it has not
  public record Dataset(
      DatasetSpec spec,
      long done,
      long before,
      long out,
      long waiting,
      long epoch,
      boolean complete,
      List<Fault> faults,
      long faultCount,
      String failure) {
    public static final int MAX_FAULTS = 100;

    public Dataset {
      faults = List.copyOf(faults);
    }

    public boolean holds() {
      return faultCount == 0;
    }
  }

  /// Records that were not completed exactly once.
  public record Fault(String records, long epoch, int completions) {}

  /// What happened to one record, in order.
  public record RecordHistory(long record, List<Happening> happenings) {
    public RecordHistory {
      happenings = List.copyOf(happenings);
    }
  }

  /// One thing that happened to a record.
  ///
  /// @param sequence the event's number in the journal
  public record Happening(Instant at, long sequence, long epoch, String what) {}
}
