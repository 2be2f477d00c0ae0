package dev.pliant.master.service;

import dev.pliant.machine.Answer;
import dev.pliant.machine.Command;
import dev.pliant.machine.shards.DataShardManager;
import dev.pliant.machine.shards.Failure;
import dev.pliant.machine.shards.ShardLayout;
import dev.pliant.machine.shards.ShardReport;
import dev.pliant.machine.shards.StepLedger.Verdict;
import dev.pliant.master.journal.DatasetCodec;
import dev.pliant.master.journal.ProtoEnums;
import dev.pliant.model.DatasetSpec;
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
    checkPartitions(wire.getStream().getPartitionsCount());
    return DatasetCodec.decode(wire);
  }

  static List<DatasetSpec.Partition> partitions(List<Partition> wire) {
    checkPartitions(wire.size());
    return DatasetCodec.decode(wire);
  }

  private static void checkPartitions(int count) {
    checkCount("partitions", count, DatasetSpec.MAX_PARTITIONS);
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
    return ProtoEnums.EXIT_REASON
        .find(wire)
        .orElseThrow(() -> bad("the worker ended for a reason that is not known."));
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
    return ProtoEnums.EXIT_REASON.encode(reason);
  }

  static DatasetProgress progress(Answer.Progress progress) {
    DatasetProgress.Builder wire =
        DatasetProgress.newBuilder()
            .setSpec(DatasetCodec.encode(progress.spec()))
            .setRecordsDone(progress.recordsDone())
            .setRecordsOut(progress.recordsOut())
            .setRecordsWaiting(progress.recordsWaiting())
            .setEpoch(progress.epoch())
            .setState(state(progress.state()))
            .setNextStep(progress.nextStep())
            .setWorld(progress.world());
    progress.partitions().forEach(p -> wire.addPartitions(DatasetCodec.encode(p)));
    if (progress.failure() != null) {
      wire.setFailure(failure(progress.failure()));
    }
    return wire.build();
  }
}
