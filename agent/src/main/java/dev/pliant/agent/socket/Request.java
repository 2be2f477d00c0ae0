package dev.pliant.agent.socket;

import dev.pliant.agent.node.Activity;
import dev.pliant.agent.world.Arrival;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.WorkerId;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.ShardReport;
import java.util.List;
import java.util.Map;

/// What a training process asks of its agent. Values of these types are well formed; whether the
/// master agrees is another matter.
public sealed interface Request {
  /// The version of the protocol that this agent speaks.
  long VERSION = 1;

  /// The first of every connection.
  record Hello(WorkerId worker, long pid) implements Request {}

  /// Registers a dataset.
  record CreateDataset(DatasetSpec spec) implements Request {}

  /// Asks for the next shard.
  record Next(DatasetName dataset) implements Request {}

  /// Says what became of shards.
  record Report(DatasetName dataset, List<ShardReport> reports) implements Request {
    public Report {
      reports = List.copyOf(reports);
    }
  }

  /// Asks whether the master has every report.
  record Flush(DatasetName dataset) implements Request {}

  /// Tells of new records of a stream.
  record Grow(DatasetName dataset, List<Partition> partitions, boolean closed) implements Request {
    public Grow {
      partitions = List.copyOf(partitions);
    }
  }

  /// Commits a step.
  record CommitStep(DatasetName dataset, long epoch, long step, long world) implements Request {}

  /// Asks how far a dataset is.
  record Progress(DatasetName dataset) implements Request {}

  /// Takes a checkpoint of the ledgers.
  record TakeCheckpoint() implements Request {}

  /// Brings a checkpoint back that the master has kept.
  record RestoreNumber(long number) implements Request {}

  /// Brings a checkpoint back that was kept beside the model.
  ///
  /// @param takeOver whether it may be of another job
  record RestoreLedger(LedgerCheckpoint ledger, boolean takeOver) implements Request {}

  /// Asks for the world after the one that the process was in.
  record World(Arrival arrival) implements Request {}

  /// Asks to be told when a world is to end.
  ///
  /// @param seen what was heard of it already: 0 nothing, 1 that it ends, 2 that it ends at once
  record Watch(long world, int seen) implements Request {}

  /// Says that every step up to this one is done.
  record Stepped(
      DatasetName dataset, long epoch, long step, long world, Map<String, Double> metrics)
      implements Request {
    public Stepped {
      metrics = Map.copyOf(metrics);
    }
  }

  /// Asks whether the master has every step.
  record Settle(DatasetName dataset) implements Request {}

  /// Says what the process does from now on.
  record Doing(Activity activity) implements Request {}

  /// The last of a connection that ends in order.
  record Bye(boolean done, String message) implements Request {}
}
