package dev.pliant.master.journal;

import dev.pliant.machine.JobImage;
import dev.pliant.machine.LedgerImage;
import dev.pliant.machine.nodes.NodesImage;
import dev.pliant.machine.shards.ShardLedgerImage;
import dev.pliant.machine.shards.StepLedger;
import dev.pliant.machine.shards.StreamRange;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.JobId;
import dev.pliant.model.WorkerId;
import dev.pliant.model.decision.RecentDecisions;
import dev.pliant.protocol.journal.v1.KeptCheckpoint;
import dev.pliant.protocol.journal.v1.Lease;
import dev.pliant.protocol.journal.v1.Ledger;
import dev.pliant.protocol.journal.v1.Ledgers;
import dev.pliant.protocol.journal.v1.PartitionEnd;
import dev.pliant.protocol.journal.v1.ShardLedger;
import dev.pliant.protocol.journal.v1.Snapshot;
import dev.pliant.protocol.journal.v1.StreamLedger;
import dev.pliant.protocol.journal.v1.WorkerSnapshot;
import dev.pliant.views.DecisionCodec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// Whole states and ledgers as snapshots and checkpoints hold them, and back.
public final class SnapshotCodec {
  private SnapshotCodec() {}

  public static Snapshot encode(JobImage image) {
    Snapshot.Builder encoded =
        Snapshot.newBuilder()
            .setJob(image.job().toString())
            .setSequence(image.events())
            .setLedgers(encode(image.ledgers()))
            .setLineage(image.lineage())
            .setRestoreRequest(image.restoreRequest())
            .setLastCheckpoint(image.lastCheckpoint())
            .setMasterSinceMs(image.masterSinceMillis())
            .setRendezvous(RendezvousCodec.encode(image.rendezvous()))
            .setTraining(RendezvousCodec.encode(image.training()));
    if (!image.nodes().equals(NodesImage.NONE)) {
      encoded.setNodes(NodesCodec.encode(image.nodes()));
    }
    encoded.setDecisions(image.decisions().made());
    image
        .decisions()
        .newest()
        .forEach(decision -> encoded.addNewestDecisions(DecisionCodec.encode(decision)));
    image.workers().forEach(worker -> encoded.addWorkers(encode(worker)));
    image
        .checkpoints()
        .forEach((number, ledgers) ->
            encoded.addCheckpoints(
                KeptCheckpoint.newBuilder().setNumber(number).setLedgers(encode(ledgers))));
    return encoded.build();
  }

  public static JobImage decode(Snapshot encoded) {
    TreeMap<Long, List<LedgerImage>> checkpoints = new TreeMap<>();
    encoded
        .getCheckpointsList()
        .forEach(kept -> checkpoints.put(kept.getNumber(), decode(kept.getLedgers())));
    return new JobImage(
        JobId.parse(encoded.getJob()),
        encoded.getSequence(),
        decode(encoded.getLedgers()),
        encoded.getWorkersList().stream().map(SnapshotCodec::decode).toList(),
        encoded.getLineage(),
        encoded.getRestoreRequest(),
        encoded.getLastCheckpoint(),
        encoded.getMasterSinceMs(),
        checkpoints,
        RendezvousCodec.decode(encoded.getRendezvous()),
        RendezvousCodec.decode(encoded.getTraining()),
        encoded.hasNodes() ? NodesCodec.decode(encoded.getNodes()) : NodesImage.NONE,
        new RecentDecisions(
            encoded.getDecisions(),
            encoded.getNewestDecisionsList().stream().map(DecisionCodec::decode).toList()));
  }

  public static Ledgers encode(List<LedgerImage> ledgers) {
    Ledgers.Builder encoded = Ledgers.newBuilder();
    for (LedgerImage ledger : ledgers) {
      Ledger.Builder one = Ledger.newBuilder().setSpec(DatasetCodec.encode(ledger.spec()));
      switch (ledger) {
        case LedgerImage.Shards(DatasetSpec _, ShardLedgerImage image) ->
            one.setShards(encode(image));
        case LedgerImage.Steps(DatasetSpec _, StepLedger.Image image) ->
            one.setSteps(
                dev.pliant.protocol.journal.v1.StepLedger.newBuilder()
                    .setEpoch(image.epoch())
                    .setStep(image.step())
                    .setWorld(image.world()));
      }
      encoded.addLedgers(one);
    }
    return encoded.build();
  }

  public static List<LedgerImage> decode(Ledgers encoded) {
    List<LedgerImage> ledgers = new ArrayList<>();
    for (Ledger ledger : encoded.getLedgersList()) {
      DatasetSpec spec = DatasetCodec.decode(ledger.getSpec());
      ledgers.add(
          switch (ledger.getKindCase()) {
            case SHARDS -> new LedgerImage.Shards(spec, decode(ledger.getShards()));
            case STEPS ->
                new LedgerImage.Steps(
                    spec,
                    new StepLedger.Image(
                        ledger.getSteps().getEpoch(),
                        ledger.getSteps().getStep(),
                        ledger.getSteps().getWorld()));
            case KIND_NOT_SET -> throw new IllegalArgumentException("a ledger of no kind: " + spec);
          });
    }
    return ledgers;
  }

  private static ShardLedger encode(ShardLedgerImage image) {
    ShardLedger.Builder encoded =
        ShardLedger.newBuilder().setCursor(image.cursor()).setSlowestMs(image.slowestMillis());
    for (long number : image.done()) {
      encoded.addDone(number);
    }
    for (long number : image.requeued()) {
      encoded.addRequeued(number);
    }
    for (ShardLedgerImage.Out out : image.out()) {
      encoded.addOut(
          Lease.newBuilder()
              .setNumber(out.number())
              .setWorker(out.worker())
              .setSinceMs(out.sinceMillis()));
    }
    new TreeMap<>(image.attempts())
        .forEach((number, times) -> encoded.addAttempts(number).addAttempts(times));
    new TreeMap<>(image.failures())
        .forEach((number, times) -> encoded.addFailures(number).addFailures(times));
    if (image.failure() != null) {
      encoded.setFailure(EventCodec.encode(image.failure()));
    }
    if (image.stream() != null) {
      encoded.setStream(encode(image.stream()));
    }
    return encoded.build();
  }

  private static ShardLedgerImage decode(ShardLedger encoded) {
    return new ShardLedgerImage(
        encoded.getCursor(),
        EventCodec.longs(encoded.getDoneList()),
        EventCodec.longs(encoded.getRequeuedList()),
        encoded.getOutList().stream()
            .map(
                out -> new ShardLedgerImage.Out(out.getNumber(), out.getWorker(), out.getSinceMs()))
            .toList(),
        counts(encoded.getAttemptsList()),
        counts(encoded.getFailuresList()),
        encoded.getSlowestMs(),
        encoded.hasFailure() ? EventCodec.decode(encoded.getFailure()) : null,
        stream(encoded));
  }

  private static Map<Long, Integer> counts(List<Long> pairs) {
    Map<Long, Integer> counts = new TreeMap<>();
    for (int i = 0; i + 1 < pairs.size(); i += 2) {
      counts.put(pairs.get(i), Math.toIntExact(pairs.get(i + 1)));
    }
    return counts;
  }

  private static StreamLedger encode(ShardLedgerImage.Stream stream) {
    StreamLedger.Builder encoded =
        StreamLedger.newBuilder()
            .addAllPartitions(stream.partitions().stream().map(SnapshotCodec::encode).toList())
            .setClosed(stream.closed())
            .setTurn(stream.turn());
    new TreeMap<>(stream.ranges())
        .forEach((number, range) -> encoded.addNumbers(number).addRanges(EventCodec.encode(range)));
    return encoded.build();
  }

  private static PartitionEnd encode(ShardLedgerImage.Cut cut) {
    return PartitionEnd.newBuilder()
        .setName(cut.name())
        .setStart(cut.origin())
        .setNext(cut.next())
        .setEnd(cut.end())
        .build();
  }

  private static ShardLedgerImage.@Nullable Stream stream(ShardLedger ledger) {
    if (!ledger.hasStream()) {
      return null;
    }
    StreamLedger encoded = ledger.getStream();
    Map<Long, StreamRange> ranges = new TreeMap<>();
    for (int i = 0; i < encoded.getNumbersCount(); i++) {
      ranges.put(encoded.getNumbers(i), EventCodec.decode(encoded.getRanges(i)));
    }
    return new ShardLedgerImage.Stream(
        encoded.getPartitionsList().stream()
            .map(p -> new ShardLedgerImage.Cut(p.getName(), p.getStart(), p.getNext(), p.getEnd()))
            .toList(),
        encoded.getClosed(),
        encoded.getTurn(),
        ranges);
  }

  private static WorkerSnapshot encode(JobImage.WorkerImage worker) {
    WorkerSnapshot.Builder encoded =
        WorkerSnapshot.newBuilder()
            .setName(worker.id().value())
            .setLive(worker.live())
            .setReason(ProtoEnums.EXIT_REASON.encode(worker.reason()))
            .setShardsDone(worker.shardsDone())
            .setRequestId(worker.requestId())
            .setRequestDataset(worker.requestDataset());
    for (long number : worker.requestShards()) {
      encoded.addRequestShards(number);
    }
    return encoded.build();
  }

  private static JobImage.WorkerImage decode(WorkerSnapshot encoded) {
    return new JobImage.WorkerImage(
        new WorkerId(encoded.getName()),
        encoded.getLive(),
        ProtoEnums.EXIT_REASON.decode(encoded.getReason()),
        encoded.getShardsDone(),
        encoded.getRequestId(),
        encoded.getRequestDataset(),
        EventCodec.longs(encoded.getRequestShardsList()));
  }
}
