package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.GetDatasetRequest;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.ReportShardsRequest;
import dev.pliant.protocol.v1.RestoreCheckpointRequest;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.TakeCheckpointRequest;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

/// Checkpoints that are kept elsewhere, and given to a master that has never heard of them.
class MasterCheckpointsIT extends WireTest {
  @Test
  void restoresALedgerWithVeryManyShardsOutOfOrder() throws IOException {
    int shards = 800 * 1_024;
    running.data().createDataset(RunningMaster.table("train", shards, 1, 1));
    for (int i = 0; i < shards; i += 1_024) {
      reportEverySecond(lease("a", "train", 1_024).getShardsList());
    }
    LedgerCheckpoint checkpoint = take();
    beginAnew(RunningMaster.table("train", shards, 1, 1));

    restore(checkpoint);

    assertThat(progress("train").getRecordsDone()).isEqualTo(shards / 2);
    assertThat(lease("b", "train", 3).getShardsList())
        .extracting(Shard::getNumber)
        .containsExactly(1L, 3L, 5L);
  }

  private void reportEverySecond(List<Shard> shards) throws IOException {
    ReportShardsRequest.Builder reports =
        ReportShardsRequest.newBuilder().setWorker("a").setDataset("train");
    for (Shard shard : shards) {
      if (shard.getNumber() % 2 == 0) {
        reports.addReports(
            ShardReport.newBuilder().setNumber(shard.getNumber()).setLease(shard.getLease()));
      }
    }
    running.data().reportShards(reports.build());
  }

  /// A master on an empty journal, with the dataset.
  private void beginAnew(CreateDatasetRequest dataset) throws IOException {
    running.close();
    running = RunningMaster.start(JOB, folder.resolve("anew"));
    running.data().createDataset(dataset);
  }

  private LedgerCheckpoint take() throws IOException {
    return running
        .data()
        .takeCheckpoint(TakeCheckpointRequest.getDefaultInstance())
        .getCheckpoint();
  }

  private void restore(LedgerCheckpoint checkpoint) throws IOException {
    running
        .data()
        .restoreCheckpoint(RestoreCheckpointRequest.newBuilder().setCheckpoint(checkpoint).build());
  }

  private DatasetProgress progress(String dataset) throws IOException {
    return running
        .data()
        .getDataset(GetDatasetRequest.newBuilder().setDataset(dataset).build())
        .getProgress();
  }
}
