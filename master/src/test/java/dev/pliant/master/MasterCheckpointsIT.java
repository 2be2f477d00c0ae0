package dev.pliant.master;

import static org.assertj.core.api.Assertions.assertThat;

import dev.pliant.master.verify.Verification;
import dev.pliant.master.verify.Verifier;
import dev.pliant.protocol.v1.CreateDatasetRequest;
import dev.pliant.protocol.v1.DatasetProgress;
import dev.pliant.protocol.v1.DatasetSpec;
import dev.pliant.protocol.v1.GetDatasetRequest;
import dev.pliant.protocol.v1.LedgerCheckpoint;
import dev.pliant.protocol.v1.Partition;
import dev.pliant.protocol.v1.ReportShardsRequest;
import dev.pliant.protocol.v1.RestoreCheckpointRequest;
import dev.pliant.protocol.v1.Shard;
import dev.pliant.protocol.v1.ShardConsumption;
import dev.pliant.protocol.v1.ShardFate;
import dev.pliant.protocol.v1.ShardReport;
import dev.pliant.protocol.v1.StreamSource;
import dev.pliant.protocol.v1.TakeCheckpointRequest;
import java.io.IOException;
import java.nio.file.Path;
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

  @Test
  void verifySaysWhatOfAStreamWasDoneBeforeTheJournalBegan() throws IOException {
    running.data().createDataset(stream());
    List<Shard> shards = lease("a", "clicks", 4).getShardsList();
    report("a", "clicks", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(0));
    report("a", "clicks", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(2));
    LedgerCheckpoint checkpoint = take();
    assertThat(verify().done()).isEqualTo(20);
    assertThat(verify().before()).isZero();
    beginAnew(stream());

    restore(checkpoint);

    Verification.Dataset restored = verify();
    assertThat(restored.before()).isEqualTo(20);
    assertThat(restored.done()).isEqualTo(20);
    assertThat(restored.waiting()).isEqualTo(80);
    // What is done from here on is this journal's own, whichever of its checkpoints is restored.
    for (Shard shard : lease("b", "clicks", 3).getShardsList()) {
      report("b", "clicks", ShardFate.SHARD_FATE_UNSPECIFIED, shard);
    }
    LedgerCheckpoint own = take();
    restore(own);
    assertThat(verify().before()).isEqualTo(20);
    assertThat(verify().done()).isEqualTo(50);
    assertThat(verify().holds()).isTrue();
  }

  @Test
  void verifySaysWhatOfATableWasDoneBeforeTheJournalBegan() throws IOException {
    running.data().createDataset(RunningMaster.table("clicks", 95, 10, 1));
    List<Shard> shards = lease("a", "clicks", 10).getShardsList();
    report("a", "clicks", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(1));
    report("a", "clicks", ShardFate.SHARD_FATE_UNSPECIFIED, shards.get(9));
    LedgerCheckpoint checkpoint = take();
    restore(checkpoint);
    assertThat(verify().before()).isZero();
    beginAnew(RunningMaster.table("clicks", 95, 10, 1));

    restore(checkpoint);

    assertThat(verify().before()).isEqualTo(15);
    assertThat(verify().done()).isEqualTo(15);
    assertThat(verify().waiting()).isEqualTo(80);
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

  private Verification.Dataset verify() throws IOException {
    Path anew = folder.resolve("anew");
    Path job = anew.toFile().exists() ? anew : folder.resolve("job");
    return Verifier.ofFolder(JOB, job).verify().datasets().getFirst();
  }

  private static CreateDatasetRequest stream() {
    return CreateDatasetRequest.newBuilder()
        .setSpec(
            DatasetSpec.newBuilder()
                .setName("clicks")
                .setStream(
                    StreamSource.newBuilder()
                        .addPartitions(Partition.newBuilder().setName("p0").setEnd(50))
                        .addPartitions(Partition.newBuilder().setName("p1").setEnd(50)))
                .setShards(ShardConsumption.newBuilder().setShardSize(10))
                .setEpochs(1))
        .build();
  }
}
