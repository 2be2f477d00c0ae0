package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ErrorCode;
import dev.pliant.protocol.v1.CommitOutcome;
import dev.pliant.protocol.v1.CommitStepRequest;
import dev.pliant.protocol.v1.CommitStepResponse;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.GetDatasetRequest;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.ReportShardsResponse;
import dev.pliant.protocol.v1.RestoreCheckpointRequest;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.StepConsumption;
import dev.pliant.protocol.v1.TakeCheckpointRequest;
import dev.pliant.protocol.v1.TextSource;
import io.grpc.Status;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Steps and checkpoints over the wire.
class MasterStepsIT extends WireTest {
  @Test
  void commitsStepsInOrderAndSaysWhatIsRepeatedOrOld() throws IOException {
    running
        .data()
        .createDataset(
            CreateDatasetRequest.newBuilder()
                .setSpec(
                    DatasetSpec.newBuilder()
                        .setName("steps")
                        .setText(TextSource.newBuilder().setSize(10))
                        .setSteps(StepConsumption.newBuilder().setBatchSize(4))
                        .setEpochs(2))
                .build());
    assertThat(commit(0, 0, 1).getOutcomeValue()).isZero();
    assertThat(commit(0, 0, 1).getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_REPEATED);
    assertThat(commit(0, 2, 1).getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_GAP);
    assertThat(commit(0, 1, 3).getOutcomeValue()).isZero();
    assertThat(commit(0, 2, 2).getOutcome()).isEqualTo(CommitOutcome.COMMIT_OUTCOME_OLD_WORLD);
    restart();
    CommitStepResponse last = commit(0, 2, 3);
    assertThat(last.getNextEpoch()).isEqualTo(1);
    assertThat(last.getNextStep()).isZero();
    assertFault(
        Status.Code.OUT_OF_RANGE,
        ErrorCode.OUT_OF_RANGE,
        "2 epochs of 3 steps",
        () -> commit(0, 3, 3));
    assertFault(
        Status.Code.FAILED_PRECONDITION,
        ErrorCode.WRONG_CONSUMPTION,
        "by steps",
        () -> lease("a", "steps", 1));
  }

  private CommitStepResponse commit(long epoch, long step, long world) throws IOException {
    return running
        .data()
        .commitStep(
            CommitStepRequest.newBuilder()
                .setDataset("steps")
                .setEpoch(epoch)
                .setStep(step)
                .setWorld(world)
                .build());
  }

  @Test
  void restoresExactlyWhatACheckpointHolds() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 100, 10, 1));
    List<Shard> shards = lease("a", "train", 4).getShardsList();
    report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(1));
    LedgerCheckpoint checkpoint =
        running.data().takeCheckpoint(TakeCheckpointRequest.getDefaultInstance()).getCheckpoint();
    assertThat(checkpoint.getNumber()).isEqualTo(1);
    for (int i : new int[] {0, 2, 3}) {
      report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(i));
    }
    restart();
    restore(RestoreCheckpointRequest.newBuilder().setNumber(1).build());
    assertThat(done()).isEqualTo(10);
    assertThat(lease("b", "train", 4).getShardsList())
        .extracting(Shard::getNumber)
        .containsExactly(0L, 2L, 3L, 4L);
    ReportShardsResponse late =
        report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(0));
    assertThat(late.getOutcomes(0)).isEqualTo(ReportOutcome.REPORT_OUTCOME_REFUSED);
    assertThat(late.getRefusals(0)).contains("a checkpoint was restored");
    restore(RestoreCheckpointRequest.newBuilder().setCheckpoint(checkpoint).build());
    assertThat(done()).isEqualTo(10);

    assertFault(
        Status.Code.NOT_FOUND,
        ErrorCode.UNKNOWN_CHECKPOINT,
        "keeps no checkpoint 9",
        () -> restore(RestoreCheckpointRequest.newBuilder().setNumber(9).build()));
    assertFault(
        Status.Code.FAILED_PRECONDITION,
        ErrorCode.FOREIGN_CHECKPOINT,
        "of job 'default/other'",
        () ->
            restore(
                RestoreCheckpointRequest.newBuilder()
                    .setCheckpoint(checkpoint.toBuilder().setJob("default/other"))
                    .build()));
    assertFault(
        Status.Code.DATA_LOSS,
        ErrorCode.DAMAGED_CHECKPOINT,
        "",
        () ->
            restore(
                RestoreCheckpointRequest.newBuilder().setCheckpoint(noise(checkpoint)).build()));
    assertFault(
        Status.Code.DATA_LOSS,
        ErrorCode.DAMAGED_CHECKPOINT,
        "checksum",
        () ->
            restore(
                RestoreCheckpointRequest.newBuilder()
                    .setCheckpoint(checkpoint.toBuilder().setCrc32C(1))
                    .build()));
    assertThat(done()).isEqualTo(10);
  }

  /// The checkpoint with other bytes in it, whose checksum is right.
  private static LedgerCheckpoint noise(LedgerCheckpoint checkpoint) {
    byte[] bytes = {0x0a, 0x7f, 1, 2, 3};
    java.util.zip.CRC32C crc = new java.util.zip.CRC32C();
    crc.update(bytes);
    return checkpoint.toBuilder()
        .setLedgers(com.google.protobuf.ByteString.copyFrom(bytes))
        .setCrc32C((int) crc.getValue())
        .build();
  }

  private void restore(RestoreCheckpointRequest request) throws IOException {
    running.data().restoreCheckpoint(request);
  }

  private long done() throws IOException {
    return running
        .data()
        .getDataset(GetDatasetRequest.newBuilder().setDataset("train").build())
        .getProgress()
        .getRecordsDone();
  }
}
