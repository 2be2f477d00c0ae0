package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.model.ErrorCode;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.EndWorkerRequest;
import dev.pliant.protocol.v1.ExitReason;
import dev.pliant.protocol.v1.GrowStreamRequest;
import dev.pliant.protocol.v1.HeartbeatRequest;
import dev.pliant.protocol.v1.LeaseShardsRequest;
import dev.pliant.protocol.v1.LeaseShardsResponse;
import dev.pliant.protocol.v1.LeaseState;
import dev.pliant.protocol.v1.Partition;
import dev.pliant.protocol.v1.ReportOutcome;
import dev.pliant.protocol.v1.ReportShardsResponse;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.Shuffle;
import dev.pliant.protocol.v1.StreamSource;
import dev.pliant.protocol.v1.TextSource;
import io.grpc.Status;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

/// Shards over the wire: handed out, reported, taken back, grown.
class MasterShardsIT extends WireTest {
  @Test
  void handsOutEveryRecordOnceAndEndsOnlyThen() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 4, 1));
    LeaseShardsResponse first = lease("a", "train", 2);
    LeaseShardsResponse second = lease("b", "train", 8);
    assertThat(first.getShardsList()).extracting(Shard::getStart).containsExactly(0L, 4L);
    assertThat(second.getShardsList()).extracting(Shard::getEnd).containsExactly(10L);
    assertThat(lease("b", "train", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_WAIT);
    for (Shard shard : first.getShardsList()) {
      report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shard);
    }
    assertThat(lease("b", "train", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_WAIT);
    report("b", "train", ShardFate.SHARD_FATE_UNSPECIFIED, second.getShards(0));
    assertThat(lease("b", "train", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_END);
  }

  @Test
  void takesARepeatedReportAsSaidAlsoAcrossARestart() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    Shard shard = lease("a", "train", 1).getShards(0);
    assertThat(report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shard).getOutcomesValue(0))
        .isZero();
    long before = running.master.epoch();
    restart();
    ReportShardsResponse again = report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, shard);
    assertThat(again.getOutcomes(0)).isEqualTo(ReportOutcome.REPORT_OUTCOME_REPEATED);
    assertThat(again.getMasterEpoch()).isGreaterThan(before);
  }

  @Test
  void givesTheSameShardsForARepeatedRequestAlsoAcrossARestart() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 100, 5, 1));
    LeaseShardsRequest request =
        LeaseShardsRequest.newBuilder()
            .setWorker("a")
            .setDataset("train")
            .setCount(3)
            .setRequestId(77)
            .build();
    List<Shard> first = running.data().leaseShards(request).getShardsList();
    assertThat(running.data().leaseShards(request).getShardsList()).isEqualTo(first);
    restart();
    assertThat(running.data().leaseShards(request).getShardsList()).isEqualTo(first);
    LeaseShardsRequest next = request.toBuilder().setRequestId(78).build();
    assertThat(running.data().leaseShards(next).getShards(0).getNumber()).isEqualTo(3);
  }

  @Test
  void refusesAReportFromWhoeverNoLongerHoldsTheLease() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    Shard lost = lease("a", "train", 1).getShards(0);
    running
        .job()
        .endWorker(
            EndWorkerRequest.newBuilder()
                .setWorker("a")
                .setReason(ExitReason.EXIT_REASON_KILLED)
                .build());
    Shard again = lease("b", "train", 1).getShards(0);
    assertThat(again.getNumber()).as("back to the front").isEqualTo(lost.getNumber());
    assertThat(again.getLease()).isNotEqualTo(lost.getLease());
    ReportShardsResponse late = report("a", "train", ShardFate.SHARD_FATE_UNSPECIFIED, lost);
    assertThat(late.getOutcomes(0)).isEqualTo(ReportOutcome.REPORT_OUTCOME_REFUSED);
    assertThat(late.getRefusals(0)).contains("another worker has it now");
    assertThat(report("b", "train", ShardFate.SHARD_FATE_UNSPECIFIED, again).getOutcomesValue(0))
        .isZero();
  }

  @Test
  void failsTheDatasetWithShardWorkerAndCauseAtTheLastRetry() throws IOException {
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    for (int i = 0; i < 5; i++) {
      // Preemptions use up nothing, however many.
      lease("p" + i, "train", 1);
      running
          .job()
          .endWorker(
              EndWorkerRequest.newBuilder()
                  .setWorker("p" + i)
                  .setReason(ExitReason.EXIT_REASON_KILLED)
                  .build());
    }
    for (int i = 0; i < 3; i++) {
      Shard shard = lease("a", "train", 1).getShards(0);
      assertThat(report("a", "train", ShardFate.SHARD_FATE_FAILED, shard).getOutcomes(0))
          .isEqualTo(ReportOutcome.REPORT_OUTCOME_REQUEUED);
    }
    Shard last = lease("a", "train", 1).getShards(0);
    assertThat(report("a", "train", ShardFate.SHARD_FATE_FAILED, last).getOutcomes(0))
        .isEqualTo(ReportOutcome.REPORT_OUTCOME_DATASET_FAILED);
    LeaseShardsResponse failed = lease("b", "train", 1);
    assertThat(failed.getState()).isEqualTo(LeaseState.LEASE_STATE_FAILED);
    assertThat(failed.getFailure().getShard()).isZero();
    assertThat(failed.getFailure().getWorker()).isEqualTo("a");
    assertThat(failed.getFailure().getCause()).isEqualTo("bad row");
  }

  @Test
  void shufflesTheRecordsOfATextBySeedAlikeAfterARestart() throws IOException {
    CreateDatasetRequest text =
        CreateDatasetRequest.newBuilder()
            .setSpec(
                DatasetSpec.newBuilder()
                    .setName("text")
                    .setText(TextSource.newBuilder().setSize(100))
                    .setShards(ShardConsumption.newBuilder().setShardSize(50))
                    .setShuffle(Shuffle.SHUFFLE_RECORDS)
                    .setSeed(9)
                    .setEpochs(1))
            .build();
    running.data().createDataset(text);
    Shard first = lease("a", "text", 1).getShards(0);
    report("a", "text", ShardFate.SHARD_FATE_RETURNED, first);
    restart();
    Shard again = lease("a", "text", 1).getShards(0);
    Shard rest = lease("a", "text", 1).getShards(0);
    assertThat(again.getRecordsList())
        .isEqualTo(first.getRecordsList())
        .isNotEqualTo(sorted(first));
    assertThat(rest.getRecordsList()).doesNotContainAnyElementsOf(again.getRecordsList());
  }

  private static List<Long> sorted(Shard shard) {
    return shard.getRecordsList().stream().sorted().toList();
  }

  @Test
  void streamsGrowAndEndWhenTheyAreClosed() throws IOException {
    running
        .data()
        .createDataset(
            CreateDatasetRequest.newBuilder()
                .setSpec(
                    DatasetSpec.newBuilder()
                        .setName("log")
                        .setStream(
                            StreamSource.newBuilder()
                                .addPartitions(
                                    Partition.newBuilder().setName("p0").setStart(5).setEnd(5)))
                        .setShards(ShardConsumption.newBuilder().setShardSize(10))
                        .setEpochs(1))
                .build());
    assertThat(lease("a", "log", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_WAIT);
    grow(Partition.newBuilder().setName("p0").setEnd(22).build(), false);
    grow(Partition.newBuilder().setName("p1").setEnd(3).build(), true);
    LeaseShardsResponse shards = lease("a", "log", 9);
    assertThat(shards.getShardsList())
        .extracting(s -> s.getPartition() + " " + s.getStart() + "-" + s.getEnd())
        .containsExactly("p0 5-15", "p1 0-3", "p0 15-22");
    for (Shard shard : shards.getShardsList()) {
      report("a", "log", ShardFate.SHARD_FATE_UNSPECIFIED, shard);
    }
    restart();
    assertThat(lease("a", "log", 1).getState()).isEqualTo(LeaseState.LEASE_STATE_END);
    grow(Partition.newBuilder().setName("p0").setEnd(21).build(), false); // old news
    assertFault(
        Status.Code.INVALID_ARGUMENT,
        ErrorCode.BAD_PARTITION,
        "was closed",
        () -> grow(Partition.newBuilder().setName("p0").setEnd(23).build(), false));
  }

  private void grow(Partition partition, boolean closed) throws IOException {
    running
        .data()
        .growStream(
            GrowStreamRequest.newBuilder()
                .setDataset("log")
                .addPartitions(partition)
                .setClosed(closed)
                .build());
  }

  @Test
  void takesBackWhatASilentWorkerHas() throws IOException {
    running.close();
    running =
        new RunningMaster(
            MasterConfig.builder(JOB, folder.resolve("job"))
                .heartbeatTimeout(Duration.ofMillis(400))
                .build());
    running.data().createDataset(RunningMaster.table("train", 10, 5, 1));
    Shard silent = lease("silent", "train", 1).getShards(0);
    Awaitility.await()
        .atMost(Duration.ofSeconds(20))
        .until(() -> lease("b", "train", 1).getShardsList(), s -> s.contains(again(silent)));
    assertThat(
            running
                .job()
                .heartbeat(
                    HeartbeatRequest.newBuilder().addWorkers("silent").addWorkers("new").build())
                .getLostList())
        .containsExactly("silent");
  }

  private static Shard again(Shard shard) {
    return shard.toBuilder().setLease(shard.getLease() + 1).build();
  }
}
