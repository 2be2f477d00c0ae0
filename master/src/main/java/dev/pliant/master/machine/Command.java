package dev.pliant.master.machine;

import dev.pliant.master.shards.ShardReport;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import java.util.List;

/// What can be asked of a job's machine, by calls, timers and the master itself.
public sealed interface Command {
  /// A master of this epoch takes over.
  record StartMaster(long epoch) implements Command {}

  record CreateDataset(DatasetSpec spec) implements Command {}

  record GetDataset(DatasetName dataset) implements Command {}

  record GetJob() implements Command {}

  /// A worker begins, or begins again, with these leases in hand.
  record Open(WorkerId worker, DatasetName dataset, List<Held> held) implements Command {
    public Open {
      held = List.copyOf(held);
    }
  }

  /// A worker says what became of shards.
  record Report(WorkerId worker, DatasetName dataset, List<ShardReport> reports)
      implements Command {}

  /// A worker wants up to `want` shards.
  ///
  /// @param requestId where not 0: a repetition gets the same shards again
  record Lease(WorkerId worker, DatasetName dataset, int want, long requestId) implements Command {}

  /// A lease that a worker has in hand.
  record Held(long number, long lease) {}

  record GrowStream(DatasetName dataset, List<Partition> partitions, boolean closed)
      implements Command {
    public GrowStream {
      partitions = List.copyOf(partitions);
    }
  }

  record CommitStep(DatasetName dataset, long epoch, long step, long world) implements Command {}

  record TakeCheckpoint() implements Command {}

  /// Restores a checkpoint that the machine keeps.
  record RestoreKept(long number) implements Command {}

  /// Restores a checkpoint that was kept elsewhere.
  record RestoreGiven(long number, List<LedgerImage> ledgers) implements Command {
    public RestoreGiven {
      ledgers = List.copyOf(ledgers);
    }
  }

  record EndWorker(WorkerId worker, ExitReason reason, String message) implements Command {}

  /// Looks for shards that are out for too long.
  record CheckLate() implements Command {}

  /// Says nothing but that time has passed: what is due follows from the state and the time.
  record CheckDeadlines() implements Command {}
}
