package dev.pliant.cli.run;

import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.GetJobResponse;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.WorkerStatus;
import java.util.List;
import java.util.stream.Collectors;

/// A job as its master describes it at one moment.
///
/// @param journalTrouble empty while the journal can be written
record JobSnapshot(
    long epoch, List<Dataset> datasets, int workersLive, long shardsOut, String journalTrouble) {

  /// One dataset; records are counted over all epochs.
  record Dataset(String name, long done, long out, long waiting, State state, String failure) {
    long total() {
      return done + out + waiting;
    }
  }

  enum State {
    OPEN,
    END,
    FAILED
  }

  JobSnapshot {
    datasets = List.copyOf(datasets);
  }

  static JobSnapshot of(GetJobResponse job) {
    return new JobSnapshot(
        job.getMasterEpoch(),
        job.getDatasetsList().stream().map(JobSnapshot::dataset).toList(),
        (int) job.getWorkersList().stream().filter(WorkerStatus::getLive).count(),
        job.getWorkersList().stream().mapToLong(WorkerStatus::getShardsOut).sum(),
        job.getJournalTrouble());
  }

  private static Dataset dataset(DatasetProgress progress) {
    return new Dataset(
        progress.getSpec().getName(),
        progress.getRecordsDone(),
        progress.getRecordsOut(),
        progress.getRecordsWaiting(),
        state(progress.getState()),
        progress.hasFailure()
            ? "shard %,d failed for the last time with worker %s: %s"
                .formatted(
                    progress.getFailure().getShard(),
                    progress.getFailure().getWorker(),
                    progress.getFailure().getCause())
            : "");
  }

  private static State state(LeaseState state) {
    return switch (state) {
      case LEASE_STATE_END -> State.END;
      case LEASE_STATE_FAILED -> State.FAILED;
      case LEASE_STATE_LEASED, LEASE_STATE_WAIT, LEASE_STATE_UNSPECIFIED, UNRECOGNIZED ->
          State.OPEN;
    };
  }

  long done() {
    return datasets.stream().mapToLong(Dataset::done).sum();
  }

  long total() {
    return datasets.stream().mapToLong(Dataset::total).sum();
  }

  /// The datasets that are not at their end.
  List<Dataset> unfinished() {
    return datasets.stream()
        .filter(dataset -> dataset.state() != State.END)
        .collect(Collectors.toUnmodifiableList());
  }
}
