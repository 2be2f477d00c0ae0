package dev.pliant.machine;

import dev.pliant.machine.nodes.NodeEvent;
import dev.pliant.machine.rendezvous.RendezvousEvent;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.StreamRange;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.ExitReason;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.Decision;
import dev.pliant.model.decision.DecisionSettled;
import java.util.List;
import java.util.SortedMap;

/// What happened to a job: what the journal holds and replay applies. Datasets and workers are
/// named by number, in the order of their becoming known.
@SuppressWarnings("ArrayRecordComponent") // Long lists of numbers; written once, when decided.
public sealed interface Event {
  record MasterStarted(long epoch) implements Event {}

  record DatasetCreated(DatasetSpec spec) implements Event {}

  record WorkerJoined(WorkerId worker) implements Event {}

  record WorkerEnded(int worker, ExitReason reason, String message) implements Event {}

  /// Shards were leased: those in `again`, which had come back, then `fresh` from `freshFrom` on.
  record ShardsLeased(
      int dataset,
      int worker,
      long[] again,
      long freshFrom,
      int fresh,
      List<StreamRange> ranges,
      long requestId)
      implements Event {}

  record ShardsDone(int dataset, int worker, long[] numbers) implements Event {}

  record ShardsRequeued(int dataset, int worker, long[] numbers, boolean charged, String cause)
      implements Event {}

  record DatasetFailed(int dataset, Failure failure) implements Event {}

  record StreamGrown(int dataset, List<Partition> partitions, boolean closed) implements Event {}

  /// @param count how many steps, up to and with this one
  /// @param metrics what the training said of itself
  record StepCommitted(
      int dataset, long epoch, long step, long world, long count, SortedMap<String, Double> metrics)
      implements Event {}

  record CheckpointTaken(long number) implements Event {}

  /// @param takenOverFrom the uid of the job that took the checkpoint, where that is another one
  record CheckpointRestored(
      long number, long lineage, List<LedgerImage> ledgers, long requestId, String takenOverFrom)
      implements Event {}

  record DecisionMade(Decision decision) implements Event {}

  /// What came of a decision was measured.
  record OutcomeMeasured(DecisionSettled outcome) implements Event {}

  /// Something happened in the rendezvous.
  record Met(RendezvousEvent what) implements Event {}

  /// Something happened to the job's nodes.
  record Nodes(NodeEvent event) implements Event {}
}
