package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ErrorCode;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.GetJobRequest;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardFate;
import io.grpc.Status;
import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/// Bad input over the wire.
class MasterBadInputIT extends WireTest {
  @Test
  void refusesBadInputWithItsOwnErrorAndChangesNothing() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    long events = running.job().getJob(GetJobRequest.getDefaultInstance()).getJournalEvents();
    Status.Code invalid = Status.Code.INVALID_ARGUMENT;
    assertFault(invalid, ErrorCode.BAD_DATASET_SIZE, "0 records", create("d", 0, 1, 1));
    assertFault(invalid, ErrorCode.BAD_DATASET_SIZE, "-3 records", create("d", -3, 1, 1));
    assertFault(invalid, ErrorCode.BAD_SHARD_SIZE, "more than the 10", create("d", 10, 11, 1));
    assertFault(invalid, ErrorCode.BAD_EPOCHS, "at least 1", create("d", 10, 5, 0));
    assertFault(
        invalid, ErrorCode.BAD_NAME, "10,240 characters", create("x".repeat(10_240), 10, 5, 1));
    assertFault(
        Status.Code.ALREADY_EXISTS, ErrorCode.DATASET_EXISTS, "epochs", create("train", 10, 5, 2));
    assertFault(
        Status.Code.NOT_FOUND,
        ErrorCode.UNKNOWN_DATASET,
        "no dataset 'trian'",
        () -> lease("a", "trian", 1));
    assertFault(
        Status.Code.NOT_FOUND,
        ErrorCode.UNKNOWN_LEASE,
        "never leased",
        () ->
            report(
                "a",
                "train",
                ShardFate.SHARD_FATE_UNSPECIFIED,
                Shard.newBuilder().setNumber(1).setLease(1).build()));
    assertFault(
        Status.Code.OUT_OF_RANGE,
        ErrorCode.OUT_OF_RANGE,
        "shards 0 to 1",
        () ->
            report(
                "a",
                "train",
                ShardFate.SHARD_FATE_UNSPECIFIED,
                Shard.newBuilder().setNumber(2).setLease(1).build()));
    assertFault(invalid, ErrorCode.BAD_MESSAGE, "count is 0", () -> lease("a", "train", 0));
    assertFault(invalid, ErrorCode.TOO_MANY, "1 to 1,024", () -> lease("a", "train", 1_025));
    assertFault(invalid, ErrorCode.BAD_NAME, "a worker", () -> lease("a b", "train", 1));
    assertFault(
        invalid,
        ErrorCode.BAD_MESSAGE,
        "no source",
        () -> running.data().createDataset(CreateDatasetRequest.getDefaultInstance()));
    assertThat(running.job().getJob(GetJobRequest.getDefaultInstance()).getJournalEvents())
        .isEqualTo(events);
  }

  private Executable create(String name, long size, long shardSize, long epochs) {
    return () -> running.data().createDataset(RunningMaster.table(name, size, shardSize, epochs));
  }
}
