package dev.pliant.machine;

import dev.pliant.machine.nodes.NodesImage;
import dev.pliant.machine.nodes.Wish;
import dev.pliant.machine.rendezvous.Meeting;
import dev.pliant.machine.rendezvous.Rendezvous.Exclusion;
import dev.pliant.machine.shards.DataShardManager.LeaseState;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.ShardLayout;
import dev.pliant.machine.shards.ShardReport.Outcome;
import dev.pliant.machine.shards.StepLedger.Verdict;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Partition;
import dev.pliant.model.ExitReason;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import java.util.List;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/// What the machine answers, once what it says is on disk.
public sealed interface Answer {
  /// Nothing to say but that it is done.
  record Done() implements Answer {}

  record Created(boolean created) implements Answer {}

  /// @param revoked held leases that are no longer the worker's
  record Opened(List<Command.Held> revoked) implements Answer {}

  /// @param outcomes one for each report; null where every one is taken as done
  /// @param refusals a sentence for each report that is refused, in order
  @SuppressWarnings("ArrayRecordComponent") // Written once, when decided.
  record Reported(Outcome @Nullable [] outcomes, List<String> refusals) implements Answer {}

  /// @param layout where shards lie, unless it is a stream
  record Leased(
      LeaseState state,
      DatasetSpec spec,
      @Nullable ShardLayout layout,
      List<LeasedShard> shards,
      @Nullable Failure failure)
      implements Answer {}

  /// A shard that is leased, and where it lies if that does not follow from its number.
  record LeasedShard(long number, long lease, @Nullable StreamPlace place) {}

  /// Where a shard of a stream lies.
  record StreamPlace(String partition, long start, long end) {}

  record Committed(Verdict verdict, long nextEpoch, long nextStep) implements Answer {}

  /// @param excluded members that are out, for the one who spoke
  /// @param closed that there will be no further world, where one of the members waits for it
  record Met(List<Exclusion> excluded, Meeting.@Nullable Ending closed) implements Answer {}

  /// @param uid of the job, or empty
  /// @param run which run of the job took it
  record CheckpointTaken(long number, List<LedgerImage> ledgers, String uid, long run, long lineage)
      implements Answer {}

  record CheckpointRestored(long lineage) implements Answer {}

  record WorkerEnded(long requeued) implements Answer {}

  record SilenceChecked(Silence.Verdict verdict) implements Answer {}

  /// What a wish for another number of workers came to.
  record Scaled(int wish, int min, int max, String message) implements Answer {}

  /// What came of a wish.
  ///
  /// @param taken of the newest generation that was taken up: an older one waits no more
  record WishTaken(Wish.Taken taken) implements Answer {}

  /// How far a dataset is; records are counted over all epochs.
  record Progress(
      DatasetSpec spec,
      long recordsDone,
      long recordsOut,
      long recordsWaiting,
      long epoch,
      LeaseState state,
      @Nullable Failure failure,
      long nextStep,
      long world,
      List<Partition> partitions)
      implements Answer {
    /// Steps committed over all epochs; 0 where it is consumed by shards.
    public long stepsDone() {
      return spec.consumption() instanceof DatasetSpec.Consumption.Steps
          ? epoch * spec.partsPerEpoch() + nextStep
          : 0;
    }
  }

  /// @param nodes without a plan where others start the job's processes
  record Job(
      JobId job,
      List<Progress> datasets,
      List<WorkerProgress> workers,
      long events,
      long lineage,
      List<Long> checkpoints,
      WorldProgress world,
      SortedMap<String, Double> metrics,
      NodesImage nodes)
      implements Answer {}

  /// The group that trains together.
  ///
  /// @param version 0 where there was none
  /// @param members in the order of their ranks
  /// @param waiting those who wait for a world, oldest first
  record WorldProgress(
      long version,
      List<WorkerId> members,
      boolean reforming,
      long formedMillis,
      List<WorkerId> waiting,
      long pausedMillis) {}

  record WorkerProgress(
      String name, boolean live, ExitReason reason, long shardsOut, long shardsDone) {}
}
