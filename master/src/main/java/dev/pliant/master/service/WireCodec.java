package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.shards.DataShardManager;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.ShardLayout;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.machine.shards.StepLedger.Verdict;
import dev.pliant.model.DatasetName;
import dev.pliant.model.DatasetSpec;
import dev.pliant.model.DatasetSpec.Consumption;
import dev.pliant.model.DatasetSpec.Shuffle;
import dev.pliant.model.DatasetSpec.Source;
import dev.pliant.model.ErrorCode;
import dev.pliant.model.ExitReason;
import dev.pliant.model.PliantException;
import dev.pliant.protocol.v1.CommitOutcome;
import dev.pliant.protocol.v1.DatasetFailure;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.HeldLease;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.Partition;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.StepConsumption;
import dev.pliant.protocol.v1.StreamSource;
import dev.pliant.protocol.v1.TableSource;
import dev.pliant.protocol.v1.TextSource;
import java.util.ArrayList;
import java.util.List;

/// Messages of the wire as the machine's values, checked, and back.
final class WireCodec {
  static final int MAX_REPORTS = 4_096;
  static final int MAX_WANT = 1_024;
  static final int MAX_TEXT = 4_096;

  private WireCodec() {}

  // In.

  static DatasetSpec spec(dev.pliant.protocol.v1.DatasetSpec wire) {
    Source source =
        switch (wire.getSourceCase()) {
          case TABLE -> new Source.Table(wire.getTable().getSize());
          case TEXT -> new Source.Text(wire.getText().getSize());
          case STREAM -> new Source.Stream(partitions(wire.getStream().getPartitionsList()));
          case SOURCE_NOT_SET ->
              throw bad("the dataset has no source; give it a table, text or stream.");
        };
    Consumption consumption =
        switch (wire.getConsumptionCase()) {
          case SHARDS ->
              new Consumption.Shards(
                  wire.getShards().getShardSize(),
                  wire.getShards().hasMaxRetries()
                      ? wire.getShards().getMaxRetries()
                      : DatasetSpec.DEFAULT_RETRIES);
          case STEPS -> new Consumption.Steps(wire.getSteps().getBatchSize());
          case CONSUMPTION_NOT_SET ->
              throw bad("the dataset says neither shards nor steps; say how it is consumed.");
        };
    return new DatasetSpec(
        new DatasetName(wire.getName()),
        source,
        consumption,
        wire.getEpochs(),
        shuffle(wire.getShuffle()),
        wire.getSeed());
  }

  private static Shuffle shuffle(dev.pliant.protocol.v1.Shuffle wire) {
    return switch (wire) {
      case SHUFFLE_UNSPECIFIED -> Shuffle.NONE;
      case SHUFFLE_SHARDS -> Shuffle.SHARDS;
      case SHUFFLE_RECORDS -> Shuffle.RECORDS;
      case UNRECOGNIZED -> throw bad("the dataset names a shuffle that is not known.");
    };
  }

  static List<DatasetSpec.Partition> partitions(List<Partition> wire) {
    checkCount("partitions", wire.size(), DatasetSpec.MAX_PARTITIONS);
    List<DatasetSpec.Partition> partitions = new ArrayList<>(wire.size());
    for (Partition p : wire) {
      partitions.add(new DatasetSpec.Partition(p.getName(), p.getStart(), p.getEnd()));
    }
    return partitions;
  }

  static List<ShardReport> reports(List<dev.pliant.protocol.v1.ShardReport> wire) {
    checkCount("reports", wire.size(), MAX_REPORTS);
    List<ShardReport> reports = new ArrayList<>(wire.size());
    for (var report : wire) {
      ShardReport.Fate fate =
          switch (report.getFate()) {
            case SHARD_FATE_UNSPECIFIED -> ShardReport.Fate.DONE;
            case SHARD_FATE_FAILED -> ShardReport.Fate.FAILED;
            case SHARD_FATE_RETURNED -> ShardReport.Fate.RETURNED;
            case UNRECOGNIZED -> throw bad("a report names a fate that is not known.");
          };
      reports.add(
          new ShardReport(
              report.getNumber(), report.getLease(), fate, text("cause", report.getCause())));
    }
    return reports;
  }

  static List<Command.Held> held(List<HeldLease> wire) {
    checkCount("held leases", wire.size(), MAX_REPORTS);
    return wire.stream().map(h -> new Command.Held(h.getNumber(), h.getLease())).toList();
  }

  static int want(String what, int count) {
    if (count < 0 || count > MAX_WANT) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "%s is %s; 1 to %,d shards can be leased at once."
              .formatted(what, Integer.toUnsignedString(count), MAX_WANT));
    }
    return count;
  }

  static ExitReason reason(dev.pliant.protocol.v1.ExitReason wire) {
    return switch (wire) {
      case EXIT_REASON_UNSPECIFIED -> ExitReason.SUCCEEDED;
      case EXIT_REASON_KILLED -> ExitReason.KILLED;
      case EXIT_REASON_OOM -> ExitReason.OOM;
      case EXIT_REASON_FATAL_ERROR -> ExitReason.FATAL_ERROR;
      case EXIT_REASON_HARDWARE_ERROR -> ExitReason.HARDWARE_ERROR;
      case EXIT_REASON_NO_HEARTBEAT -> ExitReason.NO_HEARTBEAT;
      case EXIT_REASON_UNKNOWN -> ExitReason.UNKNOWN;
      case UNRECOGNIZED -> throw bad("the worker ended for a reason that is not known.");
    };
  }

  static String text(String what, String value) {
    if (value.length() > MAX_TEXT) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "the %s has %,d characters, at most %,d are allowed."
              .formatted(what, value.length(), MAX_TEXT));
    }
    return value;
  }

  static void checkCount(String what, int count, int most) {
    if (count > most) {
      throw new PliantException(
          ErrorCode.TOO_MANY,
          "the message holds %,d %s, at most %,d are allowed.".formatted(count, what, most));
    }
  }

  static PliantException bad(String message) {
    return new PliantException(ErrorCode.BAD_MESSAGE, message);
  }

  // Out.

  static LeaseState state(DataShardManager.LeaseState state) {
    return switch (state) {
      case LEASED -> LeaseState.LEASE_STATE_LEASED;
      case WAIT -> LeaseState.LEASE_STATE_WAIT;
      case END -> LeaseState.LEASE_STATE_END;
      case FAILED -> LeaseState.LEASE_STATE_FAILED;
    };
  }

  static Shard shard(Answer.Leased answer, Answer.LeasedShard leased) {
    Shard.Builder shard = Shard.newBuilder().setNumber(leased.number()).setLease(leased.lease());
    ShardLayout layout = answer.layout();
    Answer.StreamPlace place = leased.place();
    if (place != null) {
      shard.setPartition(place.partition()).setStart(place.start()).setEnd(place.end());
    } else if (layout != null) {
      shard.setEpoch(layout.epoch(leased.number()));
      if (answer.spec().source() instanceof Source.Text) {
        layout.forEachRecord(leased.number(), shard::addRecords);
      } else {
        long start = layout.start(leased.number());
        shard.setStart(start).setEnd(start + layout.length(leased.number()));
      }
    }
    return shard.build();
  }

  static ReportOutcome outcome(ShardReport.Outcome outcome) {
    return switch (outcome) {
      case DONE -> ReportOutcome.REPORT_OUTCOME_UNSPECIFIED;
      case REQUEUED -> ReportOutcome.REPORT_OUTCOME_REQUEUED;
      case REPEATED -> ReportOutcome.REPORT_OUTCOME_REPEATED;
      case REFUSED -> ReportOutcome.REPORT_OUTCOME_REFUSED;
      case DATASET_FAILED -> ReportOutcome.REPORT_OUTCOME_DATASET_FAILED;
    };
  }

  static DatasetFailure failure(Failure failure) {
    return DatasetFailure.newBuilder()
        .setShard(failure.shard())
        .setWorker(failure.worker())
        .setCause(failure.cause())
        .build();
  }

  static CommitOutcome outcome(Verdict verdict) {
    return switch (verdict) {
      case TAKEN -> CommitOutcome.COMMIT_OUTCOME_UNSPECIFIED;
      case REPEATED -> CommitOutcome.COMMIT_OUTCOME_REPEATED;
      case OLD_WORLD -> CommitOutcome.COMMIT_OUTCOME_OLD_WORLD;
      case GAP -> CommitOutcome.COMMIT_OUTCOME_GAP;
    };
  }

  static dev.pliant.protocol.v1.ExitReason reason(ExitReason reason) {
    return switch (reason) {
      case SUCCEEDED -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_UNSPECIFIED;
      case KILLED -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_KILLED;
      case OOM -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_OOM;
      case FATAL_ERROR -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_FATAL_ERROR;
      case HARDWARE_ERROR -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_HARDWARE_ERROR;
      case NO_HEARTBEAT -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_NO_HEARTBEAT;
      case UNKNOWN -> dev.pliant.protocol.v1.ExitReason.EXIT_REASON_UNKNOWN;
    };
  }

  static DatasetProgress progress(Answer.Progress progress) {
    DatasetProgress.Builder wire =
        DatasetProgress.newBuilder()
            .setSpec(spec(progress.spec()))
            .setRecordsDone(progress.recordsDone())
            .setRecordsOut(progress.recordsOut())
            .setRecordsWaiting(progress.recordsWaiting())
            .setEpoch(progress.epoch())
            .setState(state(progress.state()))
            .setNextStep(progress.nextStep())
            .setWorld(progress.world());
    progress.partitions().forEach(p -> wire.addPartitions(partition(p)));
    if (progress.failure() != null) {
      wire.setFailure(failure(progress.failure()));
    }
    return wire.build();
  }

  private static dev.pliant.protocol.v1.DatasetSpec spec(DatasetSpec spec) {
    var wire =
        dev.pliant.protocol.v1.DatasetSpec.newBuilder()
            .setName(spec.name().value())
            .setEpochs(spec.epochs())
            .setSeed(spec.seed())
            .setShuffle(
                switch (spec.shuffle()) {
                  case NONE -> dev.pliant.protocol.v1.Shuffle.SHUFFLE_UNSPECIFIED;
                  case SHARDS -> dev.pliant.protocol.v1.Shuffle.SHUFFLE_SHARDS;
                  case RECORDS -> dev.pliant.protocol.v1.Shuffle.SHUFFLE_RECORDS;
                });
    switch (spec.source()) {
      case Source.Table(long size) -> wire.setTable(TableSource.newBuilder().setSize(size));
      case Source.Text(long size) -> wire.setText(TextSource.newBuilder().setSize(size));
      case Source.Stream(var partitions) ->
          wire.setStream(
              StreamSource.newBuilder()
                  .addAllPartitions(partitions.stream().map(WireCodec::partition).toList()));
    }
    switch (spec.consumption()) {
      case Consumption.Shards(long size, int retries) ->
          wire.setShards(ShardConsumption.newBuilder().setShardSize(size).setMaxRetries(retries));
      case Consumption.Steps(long size) ->
          wire.setSteps(StepConsumption.newBuilder().setBatchSize(size));
    }
    return wire.build();
  }

  private static Partition partition(DatasetSpec.Partition partition) {
    return Partition.newBuilder()
        .setName(partition.name())
        .setStart(partition.start())
        .setEnd(partition.end())
        .build();
  }
}
