package dev.pliant.master.journal;

import dev.pliant.machine.Event;
import dev.pliant.machine.LedgerImage;
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
import dev.pliant.protocol.journal.v1.CheckpointRestored;
import dev.pliant.protocol.journal.v1.CheckpointTaken;
import dev.pliant.protocol.journal.v1.DatasetCreated;
import dev.pliant.protocol.journal.v1.DatasetFailed;
import dev.pliant.protocol.journal.v1.MasterStarted;
import dev.pliant.protocol.journal.v1.ReformWanted;
import dev.pliant.protocol.journal.v1.RendezvousClosed;
import dev.pliant.protocol.journal.v1.ShardsDone;
import dev.pliant.protocol.journal.v1.ShardsLeased;
import dev.pliant.protocol.journal.v1.ShardsRequeued;
import dev.pliant.protocol.journal.v1.StepCommitted;
import dev.pliant.protocol.journal.v1.StreamGrown;
import dev.pliant.protocol.journal.v1.WorkerEnded;
import dev.pliant.protocol.journal.v1.WorkerJoined;
import dev.pliant.views.DecisionCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

/// Events as the journal holds them, and back.
public final class EventCodec {
  private EventCodec() {}

  public static dev.pliant.protocol.journal.v1.Event encode(Event event) {
    var encoded = dev.pliant.protocol.journal.v1.Event.newBuilder();
    switch (event) {
      case Event.MasterStarted(long epoch) ->
          encoded.setMasterStarted(MasterStarted.newBuilder().setEpoch(epoch));
      case Event.DatasetCreated(DatasetSpec spec) ->
          encoded.setDatasetCreated(DatasetCreated.newBuilder().setSpec(DatasetCodec.encode(spec)));
      case Event.WorkerJoined(WorkerId worker) ->
          encoded.setWorkerJoined(WorkerJoined.newBuilder().setName(worker.value()));
      case Event.WorkerEnded(int worker, ExitReason reason, String message) ->
          encoded.setWorkerEnded(
              WorkerEnded.newBuilder()
                  .setWorker(worker)
                  .setReason(ProtoEnums.EXIT_REASON.encode(reason))
                  .setMessage(message));
      case Event.ShardsLeased leased -> encoded.setShardsLeased(encode(leased));
      case Event.ShardsDone done -> encoded.setShardsDone(encode(done));
      case Event.ShardsRequeued requeued -> encoded.setShardsRequeued(encode(requeued));
      case Event.DatasetFailed(int dataset, Failure failure) ->
          encoded.setDatasetFailed(encode(failure).setDataset(dataset));
      case Event.StreamGrown(int dataset, List<Partition> partitions, boolean closed) ->
          encoded.setStreamGrown(
              StreamGrown.newBuilder()
                  .setDataset(dataset)
                  .addAllPartitions(DatasetCodec.encode(partitions))
                  .setClosed(closed));
      case Event.StepCommitted committed -> encoded.setStepCommitted(encode(committed));
      case Event.CheckpointTaken(long number) ->
          encoded.setCheckpointTaken(CheckpointTaken.newBuilder().setNumber(number));
      case Event.CheckpointRestored(
              long number,
              long lineage,
              List<LedgerImage> ledgers,
              long requestId,
              String takenOverFrom) ->
          encoded.setCheckpointRestored(
              CheckpointRestored.newBuilder()
                  .setNumber(number)
                  .setLineage(lineage)
                  .setRequestId(requestId)
                  .setTakenOverFrom(takenOverFrom)
                  .setLedgers(SnapshotCodec.encode(ledgers)));
      case Event.DecisionMade(Decision decision) ->
          encoded.setDecisionMade(DecisionCodec.encode(decision));
      case Event.OutcomeMeasured(DecisionSettled outcome) ->
          encoded.setDecisionSettled(DecisionCodec.encode(outcome));
      case Event.Met(RendezvousEvent what) -> RendezvousCodec.encode(what, encoded);
      case Event.Nodes(NodeEvent nodeEvent) -> NodesCodec.encode(nodeEvent, encoded);
    }
    return encoded.build();
  }

  public static Event decode(dev.pliant.protocol.journal.v1.Event encoded) {
    return switch (encoded.getKindCase()) {
      case MASTER_STARTED -> new Event.MasterStarted(encoded.getMasterStarted().getEpoch());
      case DATASET_CREATED ->
          new Event.DatasetCreated(DatasetCodec.decode(encoded.getDatasetCreated().getSpec()));
      case WORKER_JOINED ->
          new Event.WorkerJoined(new WorkerId(encoded.getWorkerJoined().getName()));
      case WORKER_ENDED -> {
        WorkerEnded e = encoded.getWorkerEnded();
        yield new Event.WorkerEnded(
            e.getWorker(), ProtoEnums.EXIT_REASON.decode(e.getReason()), e.getMessage());
      }
      case SHARDS_LEASED -> decode(encoded.getShardsLeased());
      case SHARDS_DONE -> decode(encoded.getShardsDone());
      case SHARDS_REQUEUED -> {
        ShardsRequeued e = encoded.getShardsRequeued();
        yield new Event.ShardsRequeued(
            e.getDataset(), e.getWorker(), longs(e.getNumbersList()), e.getCharged(), e.getCause());
      }
      case DATASET_FAILED ->
          new Event.DatasetFailed(
              encoded.getDatasetFailed().getDataset(), decode(encoded.getDatasetFailed()));
      case STREAM_GROWN -> {
        StreamGrown e = encoded.getStreamGrown();
        yield new Event.StreamGrown(
            e.getDataset(), DatasetCodec.decode(e.getPartitionsList()), e.getClosed());
      }
      case STEP_COMMITTED -> decode(encoded.getStepCommitted());
      case CHECKPOINT_TAKEN -> new Event.CheckpointTaken(encoded.getCheckpointTaken().getNumber());
      case CHECKPOINT_RESTORED -> {
        CheckpointRestored e = encoded.getCheckpointRestored();
        yield new Event.CheckpointRestored(
            e.getNumber(),
            e.getLineage(),
            SnapshotCodec.decode(e.getLedgers()),
            e.getRequestId(),
            e.getTakenOverFrom());
      }
      case DECISION_MADE -> new Event.DecisionMade(DecisionCodec.decode(encoded.getDecisionMade()));
      case DECISION_SETTLED ->
          new Event.OutcomeMeasured(DecisionCodec.decode(encoded.getDecisionSettled()));
      case RENDEZVOUS_RULES_SET ->
          new Event.Met(
              new RendezvousEvent.RulesSet(
                  RendezvousCodec.decode(encoded.getRendezvousRulesSet())));
      case MEMBER_ARRIVED -> new Event.Met(RendezvousCodec.arrived(encoded.getMemberArrived()));
      case MEMBER_DRAINING ->
          new Event.Met(
              new RendezvousEvent.Draining(
                  RendezvousCodec.decode(encoded.getMemberDraining().getMember())));
      case MEMBER_GONE -> new Event.Met(RendezvousCodec.gone(encoded.getMemberGone()));
      case COMMIT_REFUSED -> new Event.Met(RendezvousCodec.refused(encoded.getCommitRefused()));
      case REFORM_WANTED -> {
        ReformWanted e = encoded.getReformWanted();
        yield new Event.Met(new RendezvousEvent.ReformWanted(e.getVersion(), e.getWhy()));
      }
      case ABORT_WANTED ->
          new Event.Met(new RendezvousEvent.AbortWanted(encoded.getAbortWanted().getVersion()));
      case WORLD_FORMED -> new Event.Met(RendezvousCodec.formed(encoded.getWorldFormed()));
      case RENDEZVOUS_CLOSED -> {
        RendezvousClosed e = encoded.getRendezvousClosed();
        yield new Event.Met(new RendezvousEvent.Closed(e.getComplete(), e.getWhy()));
      }
      case RENDEZVOUS_REOPENED -> new Event.Met(new RendezvousEvent.Reopened());
      case JOB_DEFINED,
          JOB_SCALED,
          NODE_ADDED,
          NODE_MOVED,
          NODE_ENDED,
          RELAUNCH_PLANNED,
          NODES_RELEASED,
          PENDING_NOTED,
          WISH_TAKEN,
          ROLE_RESIZED,
          NUMBERS_RESERVED,
          JOB_PHASE_CHANGED,
          JOB_RESTED,
          JOB_RESUMED,
          REST_MISSED ->
          new Event.Nodes(NodesCodec.decode(encoded));
      case KIND_NOT_SET -> throw JournalVersion.unknown("an event of a kind");
    };
  }

  private static ShardsLeased encode(Event.ShardsLeased event) {
    ShardsLeased.Builder encoded =
        ShardsLeased.newBuilder()
            .setDataset(event.dataset())
            .setWorker(event.worker())
            .setFreshFrom(event.freshFrom())
            .setFresh(event.fresh())
            .setRequestId(event.requestId());
    for (long number : event.again()) {
      encoded.addAgain(number);
    }
    for (StreamRange range : event.ranges()) {
      encoded.addRanges(encode(range));
    }
    return encoded.build();
  }

  private static Event decode(ShardsLeased encoded) {
    List<StreamRange> ranges = new ArrayList<>(encoded.getRangesCount());
    for (var range : encoded.getRangesList()) {
      ranges.add(decode(range));
    }
    return new Event.ShardsLeased(
        encoded.getDataset(),
        encoded.getWorker(),
        longs(encoded.getAgainList()),
        encoded.getFreshFrom(),
        encoded.getFresh(),
        ranges,
        encoded.getRequestId());
  }

  private static ShardsDone encode(Event.ShardsDone event) {
    ShardsDone.Builder encoded =
        ShardsDone.newBuilder().setDataset(event.dataset()).setWorker(event.worker());
    long before = 0;
    for (long number : event.numbers()) {
      encoded.addDeltas(number - before);
      before = number;
    }
    return encoded.build();
  }

  private static Event decode(ShardsDone encoded) {
    long[] numbers = new long[encoded.getDeltasCount()];
    long before = 0;
    for (int i = 0; i < numbers.length; i++) {
      before += encoded.getDeltas(i);
      numbers[i] = before;
    }
    return new Event.ShardsDone(encoded.getDataset(), encoded.getWorker(), numbers);
  }

  private static StepCommitted encode(Event.StepCommitted event) {
    return StepCommitted.newBuilder()
        .setDataset(event.dataset())
        .setEpoch(event.epoch())
        .setStep(event.step())
        .setWorld(event.world())
        .setCount(event.count())
        .putAllMetrics(event.metrics())
        .build();
  }

  private static Event decode(StepCommitted encoded) {
    return new Event.StepCommitted(
        encoded.getDataset(),
        encoded.getEpoch(),
        encoded.getStep(),
        encoded.getWorld(),
        encoded.getCount(),
        new TreeMap<>(encoded.getMetricsMap()));
  }

  private static ShardsRequeued encode(Event.ShardsRequeued event) {
    ShardsRequeued.Builder encoded =
        ShardsRequeued.newBuilder()
            .setDataset(event.dataset())
            .setWorker(event.worker())
            .setCharged(event.charged())
            .setCause(event.cause());
    for (long number : event.numbers()) {
      encoded.addNumbers(number);
    }
    return encoded.build();
  }

  static DatasetFailed.Builder encode(Failure failure) {
    return DatasetFailed.newBuilder()
        .setShard(failure.shard())
        .setWorker(failure.worker())
        .setCause(failure.cause());
  }

  static Failure decode(DatasetFailed encoded) {
    return new Failure(encoded.getShard(), encoded.getWorker(), encoded.getCause());
  }

  static dev.pliant.protocol.journal.v1.StreamRange encode(StreamRange range) {
    return dev.pliant.protocol.journal.v1.StreamRange.newBuilder()
        .setPartition(range.partition())
        .setStart(range.start())
        .setEnd(range.end())
        .build();
  }

  static StreamRange decode(dev.pliant.protocol.journal.v1.StreamRange encoded) {
    return new StreamRange(encoded.getPartition(), encoded.getStart(), encoded.getEnd());
  }

  static long[] longs(List<Long> boxed) {
    long[] longs = new long[boxed.size()];
    for (int i = 0; i < longs.length; i++) {
      longs[i] = boxed.get(i);
    }
    return longs;
  }
}
