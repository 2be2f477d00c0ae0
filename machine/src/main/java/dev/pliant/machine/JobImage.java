package dev.pliant.machine;

import dev.pliant.machine.nodes.NodesImage;
import dev.pliant.machine.rendezvous.RendezvousImage;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.RecentDecisions;
import java.util.List;
import java.util.SortedMap;

/// A [JobState] as a value: what a snapshot holds.
///
/// @param events how many events made it
/// @param restoreRequest what asked for the lineage, which may ask again; 0 for nobody
/// @param masterSinceMillis when the newest master took over; 0 where there was none
public record JobImage(
    JobId job,
    long events,
    List<LedgerImage> ledgers,
    List<WorkerImage> workers,
    long lineage,
    long restoreRequest,
    long lastCheckpoint,
    long masterSinceMillis,
    SortedMap<Long, List<LedgerImage>> checkpoints,
    RendezvousImage rendezvous,
    TrainingStatus training,
    NodesImage nodes,
    RecentDecisions decisions) {

  public JobImage {
    ledgers = List.copyOf(ledgers);
    workers = List.copyOf(workers);
  }

  public List<DatasetSpec> datasets() {
    return ledgers.stream().map(LedgerImage::spec).toList();
  }

  /// A worker, with the newest request that can be repeated and its answer.
  @SuppressWarnings("ArrayRecordComponent") // Shared with nobody who writes to it.
  public record WorkerImage(
      WorkerId id,
      boolean live,
      ExitReason reason,
      long shardsDone,
      long requestId,
      int requestDataset,
      long[] requestShards) {
    @Override
    public boolean equals(@org.jspecify.annotations.Nullable Object other) {
      return other instanceof WorkerImage that
          && id.equals(that.id)
          && live == that.live
          && reason == that.reason
          && shardsDone == that.shardsDone
          && requestId == that.requestId
          && requestDataset == that.requestDataset
          && java.util.Arrays.equals(requestShards, that.requestShards);
    }

    @Override
    public int hashCode() {
      return id.hashCode();
    }
  }
}
